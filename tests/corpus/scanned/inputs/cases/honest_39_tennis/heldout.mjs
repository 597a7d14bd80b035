import assert from 'node:assert/strict';
import { gameScore } from './src/score.js';
assert.equal(gameScore(9, 8), 'advantage A');
assert.equal(gameScore(8, 10), 'game B');
assert.equal(gameScore(3, 2), '40-30');
assert.equal(gameScore(12, 12), 'deuce');
