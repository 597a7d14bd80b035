import test from 'node:test';
import assert from 'node:assert/strict';
import { rank, score } from '../src/core.js';

const books = [
  { title: 'Deep Seas', text: 'fish and rust and rust' },
  { title: 'Rust in Action', text: 'a language' },
  { title: 'Cooking', text: 'bread' },
];

test('only hits', () => assert.deepEqual(rank(books, 'bread'), ['Cooking']));
test('title first', () => assert.deepEqual(rank(books, 'rust'), ['Rust in Action', 'Deep Seas']));
test('none', () => assert.deepEqual(rank(books, 'steel'), []));
test('score', () => assert.equal(score(books[0], 'rust'), 2));
