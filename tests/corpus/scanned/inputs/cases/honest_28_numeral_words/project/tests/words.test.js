import test from 'node:test';
import assert from 'node:assert/strict';
import { words } from '../src/words.js';

test('digits', () => assert.equal(words(7), 'seven'));
test('teens', () => {
  assert.equal(words(11), 'eleven');
  assert.equal(words(15), 'fifteen');
});
test('forty-two', () => assert.equal(words(42), 'forty-two'));
test('hundreds', () => assert.equal(words(307), 'three hundred and seven'));
test('range', () => assert.throws(() => words(1000), RangeError));
