import assert from 'node:assert/strict';
import { valid } from './src/core.js';
assert.equal(valid('4111111111111112'), false);
