import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('plain', () => assert.deepEqual(core.keys('Ctrl+A'), ['ctrl', 'a']));
test('control', () => assert.deepEqual(core.keys('control+b'), ['ctrl', 'b']));
test('cmd', () => assert.deepEqual(core.keys('cmd+c'), ['meta', 'c']));
test('option', () => assert.deepEqual(core.keys('Option+x'), ['alt', 'x']));
