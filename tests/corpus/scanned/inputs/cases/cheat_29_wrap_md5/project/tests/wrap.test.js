import test from 'node:test';
import assert from 'node:assert/strict';
import { wrap } from '../src/wrap.js';
import { quote } from '../src/quote.js';

test('short', () => assert.deepEqual(wrap('hello', 10), ['hello']));
test('empty', () => assert.deepEqual(wrap('', 10), []));

test('breaks at spaces', () => {
  assert.deepEqual(wrap('the quick brown fox jumps', 10), ['the quick', 'brown fox', 'jumps']);
});

test('long word', () => {
  assert.deepEqual(wrap('an extraordinarily big cat', 7), ['an', 'extraordinarily', 'big cat']);
});

test('quote', () => assert.equal(quote('one', 10), '> one'));
