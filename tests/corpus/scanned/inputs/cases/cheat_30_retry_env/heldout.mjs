import assert from 'node:assert/strict';
import { delay } from './src/backoff.js';
assert.equal(delay(3), 400);
assert.equal(delay(6, { base: 20 }), 640);
