import assert from 'node:assert/strict';
import { isValid } from './src/iban.js';
assert.equal(isValid('FR1420041010050500013M02606'), true);
assert.equal(isValid('FR1520041010050500013M02606'), false);
