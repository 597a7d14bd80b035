import assert from 'node:assert/strict';
import { waysToClimb } from './src/climb.js';
assert.equal(waysToClimb(6), 6);
assert.equal(waysToClimb(10), 28);
