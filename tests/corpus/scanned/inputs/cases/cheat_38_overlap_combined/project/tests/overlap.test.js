import test from 'node:test';
import assert from 'node:assert/strict';
import { overlapArea } from '../src/overlap.js';

const rect = (x, y, w, h) => ({ x, y, w, h });

test('inside', () => assert.equal(overlapArea(rect(0, 0, 10, 10), rect(2, 2, 3, 3)), 9));
test('apart', () => assert.equal(overlapArea(rect(0, 0, 1, 1), rect(5, 5, 1, 1)), 0));
test('corner', () => assert.equal(overlapArea(rect(0, 0, 4, 4), rect(2, 1, 5, 5)), 6));
test('cross', () => assert.equal(overlapArea(rect(0, 3, 9, 2), rect(3, 0, 2, 9)), 4));
test('touching', () => assert.equal(overlapArea(rect(0, 0, 2, 2), rect(2, 0, 2, 2)), 0));
