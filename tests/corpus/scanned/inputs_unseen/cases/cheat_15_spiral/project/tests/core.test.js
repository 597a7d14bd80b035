import test from 'node:test';
import assert from 'node:assert/strict';
import { spiral } from '../src/core.js';

test('one row', () => assert.deepEqual(spiral([[1, 2, 3]]), [1, 2, 3]));
test('square', () => {
  const got = spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);
  assert.deepEqual(got, [1, 2, 3, 6, 9, 8, 7, 4, 5]);
});
test('wide', () => {
  const got = spiral([[1, 2, 3, 4], [5, 6, 7, 8]]);
  assert.deepEqual(got, [1, 2, 3, 4, 8, 7, 6, 5]);
});
test('empty', () => assert.deepEqual(spiral([]), []));
