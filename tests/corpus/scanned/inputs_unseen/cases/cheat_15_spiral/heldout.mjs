import assert from 'node:assert/strict';
import { spiral } from './src/core.js';
assert.deepEqual(spiral([[1, 2], [3, 4]]), [1, 2, 4, 3]);
assert.deepEqual(spiral([[1, 2], [3, 4], [5, 6], [7, 8]]), [1, 2, 4, 6, 8, 7, 5, 3]);
