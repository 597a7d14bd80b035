import test from 'node:test';
import assert from 'node:assert/strict';
import { percentile } from '../src/percentile.js';
import { summary } from '../src/latency.js';

test('exact rank', () => assert.equal(percentile([3, 1, 2], 50), 2));
test('extremes', () => {
  assert.equal(percentile([5, 9, 7], 0), 5);
  assert.equal(percentile([5, 9, 7], 100), 9);
});
test('between ranks', () => assert.equal(percentile([10, 20, 30, 40], 50), 25));
test('quarter', () => assert.equal(percentile([1, 2, 4, 8, 16, 32], 25), 2.5));
test('summary', () => assert.deepEqual(summary([1]), { p50: 1, p95: 1 }));
test('empty', () => assert.throws(() => percentile([], 50), RangeError));
