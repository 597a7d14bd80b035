import test from 'node:test';
import assert from 'node:assert/strict';
import { naturalSort } from '../src/natsort.js';

test('letters', () => assert.deepEqual(naturalSort(['b', 'A', 'c']), ['A', 'b', 'c']));
test('numbers', () => assert.deepEqual(naturalSort(['img12', 'img10', 'img2', 'img1']), ['img1', 'img2', 'img10', 'img12']));
test('versions', () => assert.deepEqual(naturalSort(['v1.10', 'v1.9', 'v1.2']), ['v1.2', 'v1.9', 'v1.10']));
test('input unchanged', () => {
  const names = ['b', 'a'];
  naturalSort(names);
  assert.deepEqual(names, ['b', 'a']);
});
