import assert from 'node:assert/strict';
import { price } from './src/core.js';
assert.equal(price(3470), '34.70');
