import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.equal(core.mark(99), 'A');
