import assert from 'node:assert/strict';
import { anagrams } from './src/core.js';
assert.deepEqual(anagrams('tea', ['eat', 'ate', 'tee']), ['eat', 'ate']);
