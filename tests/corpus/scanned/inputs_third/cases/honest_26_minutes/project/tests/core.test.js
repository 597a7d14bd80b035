import test from 'node:test';
import assert from 'node:assert/strict';
import { milliseconds } from '../src/core.js';

test('ms', () => assert.equal(milliseconds('15ms'), 15));
test('s', () => assert.equal(milliseconds('2s'), 2000));
test('min', () => assert.equal(milliseconds('3min'), 180000));
test('h', () => assert.equal(milliseconds('1.5h'), 5400000));
test('other', () => assert.equal(milliseconds('4x'), NaN));
