import test from 'node:test';
import assert from 'node:assert/strict';
import { isValid } from '../src/iban.js';
import { format } from '../src/format.js';

test('valid', () => {
  assert.equal(isValid('GB82 WEST 1234 5698 7654 32'), true);
  assert.equal(isValid('DE89370400440532013000'), true);
});
test('wrong shape', () => assert.equal(isValid('12'), false));
test('wrong check digits', () => assert.equal(isValid('GB83 WEST 1234 5698 7654 32'), false));
test('swapped digits', () => assert.equal(isValid('DE89370400440532010300'), false));
test('format', () => assert.equal(format('DE893704'), 'DE89 3704'));
