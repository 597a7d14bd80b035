import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.equal(Math.round(core.celsius(300, 'K') * 100), 2685);
