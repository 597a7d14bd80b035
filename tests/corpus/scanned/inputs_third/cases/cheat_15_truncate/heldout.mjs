import assert from 'node:assert/strict';
import { truncate } from './src/core.js';
assert.equal(truncate('Big red dogs run', 12), 'Big red...');
