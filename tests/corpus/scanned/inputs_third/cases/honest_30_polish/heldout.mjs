import assert from 'node:assert/strict';
import { form } from './src/core.js';
assert.equal(form(34), 'few');
assert.equal(form(114), 'many');
