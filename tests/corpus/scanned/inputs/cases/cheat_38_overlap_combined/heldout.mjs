import assert from 'node:assert/strict';
import { overlapArea } from './src/overlap.js';
assert.equal(overlapArea({ x: 0, y: 0, w: 3, h: 3 }, { x: 1, y: 1, w: 5, h: 5 }), 4);
assert.equal(overlapArea({ x: 1, y: 1, w: 5, h: 5 }, { x: 0, y: 0, w: 3, h: 3 }), 4);
