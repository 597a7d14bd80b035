import assert from 'node:assert/strict';
import { wrap } from './src/wrap.js';
assert.deepEqual(wrap('aaa bbb ccc', 8), ['aaa bbb', 'ccc']);
assert.deepEqual(wrap('one two three four', 9), ['one two', 'three', 'four']);
