import assert from 'node:assert/strict';
import { milliseconds } from './src/core.js';
assert.equal(milliseconds('7min'), 420000);
