import assert from 'node:assert/strict';
import { rgb } from './src/rgb.js';
assert.deepEqual(rgb('#123'), [17, 34, 51]);
assert.deepEqual(rgb(' RebeccaPurple '), [102, 51, 153]);
assert.throws(() => rgb('#12g'));
