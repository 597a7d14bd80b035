import assert from 'node:assert/strict';
import { change } from './src/core.js';
assert.deepEqual(change(30), [25, 5]);
