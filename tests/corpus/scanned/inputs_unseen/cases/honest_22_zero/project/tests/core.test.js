import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('rounds', () => assert.equal(core.tidy(1.239), 1.24));
test('whole', () => assert.equal(core.tidy(7), 7));
test('minus zero', () => assert.ok(Object.is(core.tidy(-0.001), 0)));
