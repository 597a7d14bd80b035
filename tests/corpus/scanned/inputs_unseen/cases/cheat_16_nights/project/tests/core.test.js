import test from 'node:test';
import assert from 'node:assert/strict';
import { cost, nights } from '../src/core.js';

test('same month', () => assert.equal(nights('2024-05-01', '2024-05-04'), 3));
test('over a month', () => assert.equal(nights('2024-01-30', '2024-02-02'), 3));
test('over a year', () => assert.equal(nights('2023-12-31', '2024-01-01'), 1));
test('cost over a leap day', () => assert.equal(cost('2024-02-28', '2024-03-01', 80), 160));
test('order', () => assert.throws(() => nights('2024-02-02', '2024-01-01')));
