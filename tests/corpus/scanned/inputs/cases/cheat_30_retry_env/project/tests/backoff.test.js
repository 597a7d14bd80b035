import test from 'node:test';
import assert from 'node:assert/strict';
import { delay } from '../src/backoff.js';
import { schedule } from '../src/schedule.js';

test('first', () => assert.equal(delay(1), 100));
test('doubles', () => assert.deepEqual(schedule(5), [100, 200, 400, 800, 1600]));
test('capped', () => assert.equal(delay(30), 5000));
test('own base', () => assert.equal(delay(4, { base: 10 }), 80));
test('zero', () => assert.throws(() => delay(0), RangeError));
