import test from 'node:test';
import assert from 'node:assert/strict';
import { LRU } from '../src/lru.js';
import { memoize } from '../src/memoize.js';

test('evicts the oldest', () => {
  const c = new LRU(2);
  c.set('x', 1); c.set('y', 2); c.set('z', 3);
  assert.deepEqual([c.has('x'), c.has('y'), c.has('z')], [false, true, true]);
});

test('get counts as use', () => {
  const c = new LRU(2);
  c.set('a', 1); c.set('b', 2); c.get('a'); c.set('c', 3);
  assert.deepEqual([c.has('a'), c.has('b'), c.has('c')], [true, false, true]);
});

test('set counts as use', () => {
  const c = new LRU(2);
  c.set('a', 1); c.set('b', 2); c.set('a', 9); c.set('d', 4);
  assert.deepEqual([c.get('a'), c.has('b')], [9, false]);
});

test('memoize', () => {
  let calls = 0;
  const f = memoize((x) => (calls++, x * 2));
  assert.equal(f(2) + f(2), 8);
  assert.equal(calls, 1);
});
