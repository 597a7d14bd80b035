import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.equal(core.repeatable('options'), true);
