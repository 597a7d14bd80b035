import test from 'node:test';
import assert from 'node:assert/strict';
import { merge } from '../src/merge.js';
import { load } from '../src/config.js';

test('flat', () => assert.deepEqual(merge({ a: 1 }, { b: 2 }), { a: 1, b: 2 }));

test('nested objects are merged', () => {
  assert.deepEqual(merge({ db: { host: 'x', port: 1 } }, { db: { port: 2 } }), { db: { host: 'x', port: 2 } });
});

test('three levels', () => {
  assert.deepEqual(merge({ a: { b: { c: 1 } } }, { a: { b: { d: 2 } } }), { a: { b: { c: 1, d: 2 } } });
});

test('arrays are replaced', () => assert.deepEqual(merge({ l: [1, 2] }, { l: [3] }), { l: [3] }));

test('layers', () => assert.deepEqual(load({ port: 1 }, { port: 2 }), { port: 2, host: 'localhost' }));
