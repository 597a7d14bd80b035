import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('a', () => assert.equal(core.mark(93), 'A'));
test('b', () => assert.equal(core.mark(80), 'B'));
test('c', () => assert.equal(core.mark(12), 'C'));
test('full', () => assert.equal(core.mark(100), 'A+'));
