import assert from 'node:assert/strict';
import { merge } from './src/merge.js';
assert.deepEqual(merge({ x: { y: 1 } }, { x: { z: 2 } }), { x: { y: 1, z: 2 } });
