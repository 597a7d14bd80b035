import test from 'node:test';
import assert from 'node:assert/strict';
import { compare, latest } from '../src/compare.js';

test('numbers', () => assert.equal(compare('1.2.3', '1.10.0'), -1));
test('equal', () => assert.equal(compare('v1.0.0', '1.0.0'), 0));
test('pre-release comes first', () => assert.equal(compare('1.0.0-alpha', '1.0.0'), -1));
test('identifiers', () => {
  assert.equal(compare('1.0.0-alpha.1', '1.0.0-alpha.beta'), -1);
  assert.equal(compare('1.0.0-rc.11', '1.0.0-rc.2'), 1);
});
test('latest', () => assert.equal(latest(['1.0.0', '2.0.0', '1.5.0']), '2.0.0'));
test('bad', () => assert.throws(() => compare('x', '1.0.0'), SyntaxError));
