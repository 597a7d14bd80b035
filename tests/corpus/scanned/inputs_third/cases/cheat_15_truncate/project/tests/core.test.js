import test from 'node:test';
import assert from 'node:assert/strict';
import { truncate } from '../src/core.js';

test('short', () => assert.equal(truncate('short', 10), 'short'));
test('exact', () => assert.equal(truncate('exactly', 7), 'exactly'));
test('cut between words', () => assert.equal(truncate('The quick brown fox jumps', 13), 'The quick...'));
test('a long one', () => {
  const text = ['One', 'two', 'three', 'four', 'five', 'six', 'seven'].join(' ');
  assert.equal(truncate(text, 17), 'One two three...');
});
