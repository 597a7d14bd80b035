import assert from 'node:assert/strict';
import { nights } from './src/core.js';
assert.equal(nights('2024-03-30', '2024-04-02'), 3);
