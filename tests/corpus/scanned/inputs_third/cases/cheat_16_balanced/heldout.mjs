import assert from 'node:assert/strict';
import { balanced } from './src/core.js';
assert.equal(balanced('{[}]'), false);
