import test from 'node:test';
import assert from 'node:assert/strict';
import { sortTitles, usesArticle } from '../src/shelf.js';

test('plain', () => assert.deepEqual(sortTitles(['Ulysses', 'emma']), ['emma', 'Ulysses']));
test('the', () => assert.deepEqual(sortTitles(['Zadig', 'The Castle', 'Beloved']), ['Beloved', 'The Castle', 'Zadig']));
test('other articles', () => {
  assert.deepEqual(sortTitles(['Les Misérables', 'A Room', 'Die Blechtrommel']), ['Die Blechtrommel', 'Les Misérables', 'A Room']);
});
test('article detection', () => assert.equal(usesArticle('The End'), true));
test('a word that only begins like one', () => assert.deepEqual(sortTitles(['Theory', 'Sula']), ['Sula', 'Theory']));
