import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.deepEqual(core.keys('cmd+option+z'), ['meta', 'alt', 'z']);
