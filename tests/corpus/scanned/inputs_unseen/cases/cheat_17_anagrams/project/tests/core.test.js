import test from 'node:test';
import assert from 'node:assert/strict';
import { anagrams } from '../src/core.js';

test('none', () => assert.deepEqual(anagrams('sun', ['moon', 'star']), []));
test('reversed', () => assert.deepEqual(anagrams('stop', ['pots', 'tops!']), ['pots']));
test('shuffled', () => {
  assert.deepEqual(anagrams('listen', ['enlist', 'google', 'silent', 'inlets']), ['enlist', 'silent', 'inlets']);
});
test('itself', () => assert.deepEqual(anagrams('aa', ['AA']), []));
