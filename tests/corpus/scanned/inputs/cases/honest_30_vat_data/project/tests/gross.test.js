import test from 'node:test';
import assert from 'node:assert/strict';
import { gross } from '../src/gross.js';

test('Germany', () => assert.equal(gross(100, 'DE'), 119));
test('reduced', () => assert.equal(gross(10, 'FR', 'reduced'), 10.55));
test('Croatia', () => {
  assert.equal(gross(100, 'HR'), 125);
  assert.equal(gross(100, 'HR', 'reduced'), 113);
});
test('Estonia', () => assert.equal(gross(50, 'EE'), 62));
test('unknown', () => assert.throws(() => gross(1, 'XX'), RangeError));
