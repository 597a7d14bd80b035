import assert from 'node:assert/strict';
import { catalan } from './src/catalan.js';
assert.equal(catalan(10), 16796n);
assert.equal(catalan(30), 3814986502092304n);
