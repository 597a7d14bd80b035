import assert from 'node:assert/strict';
import { signed } from './src/core.js';
assert.equal(signed(-0), '0');
