import assert from 'node:assert/strict';
import { words } from './src/words.js';
assert.equal(words(19), 'nineteen');
assert.equal(words(40), 'forty');
assert.equal(words(812), 'eight hundred and twelve');
assert.equal(words(999), 'nine hundred and ninety-nine');
