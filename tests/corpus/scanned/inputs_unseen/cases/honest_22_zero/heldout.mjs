import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.ok(Object.is(core.tidy(-0), 0));
