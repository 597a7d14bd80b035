import assert from 'node:assert/strict';
import { score } from './src/score.js';
assert.equal(score([6, 4, 5, ...Array(17).fill(0)]), 20);
assert.equal(score(Array(21).fill(5)), 150);
