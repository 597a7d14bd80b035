import assert from 'node:assert/strict';
import { reason } from './src/core.js';
assert.equal(reason(429), 'Too Many Requests');
assert.equal(reason(430), '4xx');
