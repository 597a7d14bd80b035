import assert from 'node:assert/strict';
import { standings } from './src/core.js';
assert.deepEqual(standings([{ home: 'a', away: 'b', goals: [0, 0] }]), [['a', 1], ['b', 1]]);
