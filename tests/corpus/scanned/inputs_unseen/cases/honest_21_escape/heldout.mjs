import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.equal(core.literal('a{2}').test('a{2}'), true);
