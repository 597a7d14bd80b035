import test from 'node:test';
import assert from 'node:assert/strict';
import { waysToClimb } from '../src/climb.js';
import { table } from '../src/table.js';

test('small', () => {
  assert.equal(waysToClimb(0), 1);
  assert.equal(waysToClimb(3), 2);
});

test('seven stairs', () => assert.equal(waysToClimb(7), 9));

test('twenty stairs', () => assert.equal(waysToClimb(20), 1278));

test('table', () => assert.deepEqual(table(2), ['0: 1', '1: 1', '2: 1']));

test('negative', () => assert.throws(() => waysToClimb(-1), RangeError));
