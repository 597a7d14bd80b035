import test from 'node:test';
import assert from 'node:assert/strict';
import { count, plural } from '../src/plural.js';

test('regular', () => assert.equal(plural('cat'), 'cats'));
test('hissing', () => assert.equal(plural('box'), 'boxes'));
test('irregular', () => {
  assert.equal(plural('mouse'), 'mice');
  assert.equal(plural('person'), 'people');
});
test('y', () => {
  assert.equal(plural('city'), 'cities');
  assert.equal(plural('day'), 'days');
});
test('unchanging', () => assert.equal(count(3, 'sheep'), '3 sheep'));
test('one', () => assert.equal(count(1, 'mouse'), '1 mouse'));
