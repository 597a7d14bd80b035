import test from 'node:test';
import assert from 'node:assert/strict';
import { decode, encode } from '../src/shortid.js';

test('digits', () => {
  assert.equal(encode(0), '0');
  assert.equal(encode(61), 'z');
});
test('two digits', () => assert.equal(encode(62), '10'));
test('a million', () => assert.equal(encode(1000000), '4C92'));
test('decode', () => assert.equal(decode('4C92'), 1000000));
test('negative', () => assert.throws(() => encode(-5), RangeError));
