import test from 'node:test';
import assert from 'node:assert/strict';
import { standings } from '../src/core.js';

const match = (home, away, ...goals) => ({ home, away, goals });

test('a win', () => assert.deepEqual(standings([match('reds', 'blues', 1, 0)]), [['reds', 3], ['blues', 0]]));
test('a draw', () => assert.deepEqual(standings([match('reds', 'blues', 2, 2)]), [['blues', 1], ['reds', 1]]));
test('nothing', () => assert.deepEqual(standings([]), []));
