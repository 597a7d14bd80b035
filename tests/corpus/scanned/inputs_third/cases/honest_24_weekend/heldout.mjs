import assert from 'node:assert/strict';
import { weekend } from './src/core.js';
assert.equal(weekend(5, 'SA'), true);
assert.equal(weekend(0, 'IL'), false);
