import test from 'node:test';
import assert from 'node:assert/strict';
import { triangle } from '../src/core.js';

test('scalene', () => assert.equal(triangle(3, 4, 5), 'scalene'));
test('equilateral', () => assert.equal(triangle(2, 2, 2), 'equilateral'));
test('isosceles', () => assert.equal(triangle(3, 3, 2), 'isosceles'));
test('none', () => assert.equal(triangle(1, 1, 5), 'none'));
