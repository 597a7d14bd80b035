import assert from 'node:assert/strict';
import { LRU } from './src/lru.js';
const c = new LRU(2);
c.set(1, 1); c.set(2, 2); c.get(1); c.set(3, 3);
assert.equal(c.has(1), true);
assert.equal(c.has(2), false);
