import assert from 'node:assert/strict';
import { decode, encode } from './src/shortid.js';
assert.equal(encode(63), '11');
assert.equal(decode(encode(123456789)), 123456789);
