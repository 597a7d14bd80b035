import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { change, count } from '../src/core.js';

describe('change', () => {
  it('is nothing for nothing', () => assert.deepEqual(change(0), []));
  it('uses large coins', () => assert.deepEqual(change(63), [25, 25, 10, 1, 1, 1]));
  it('counts', () => assert.equal(count(40), 3));
  it('refuses debts', () => assert.throws(() => change(-1)));
});
