import test from 'node:test';
import assert from 'node:assert/strict';
import { score } from '../src/score.js';
import { winner } from '../src/report.js';

const fill = (n, v) => Array(n).fill(v);

test('gutter', () => assert.equal(score(fill(20, 0)), 0));
test('open frames', () => assert.equal(score(fill(20, 3)), 60));
test('one spare', () => assert.equal(score([5, 5, 3, ...fill(17, 0)]), 16));
test('one strike', () => assert.equal(score([10, 3, 4, ...fill(16, 0)]), 24));
test('perfect', () => assert.equal(score(fill(12, 10)), 300));
test('winner', () => assert.equal(winner({ a: fill(20, 1), b: fill(20, 2) }), 'b'));
test('too many pins', () => assert.throws(() => score([11]), RangeError));
