import assert from 'node:assert/strict';
import { percentile } from './src/percentile.js';
assert.equal(percentile([1, 3], 50), 2);
assert.equal(percentile([0, 100, 200, 300], 50), 150);
