import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.deepEqual(core.move('a1-a8'), { from: 'a1', to: 'a8' });
