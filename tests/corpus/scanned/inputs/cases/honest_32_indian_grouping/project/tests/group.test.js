import test from 'node:test';
import assert from 'node:assert/strict';
import { group } from '../src/group.js';

test('en', () => assert.equal(group(1234567), '1,234,567'));
test('de', () => assert.equal(group(-4321, 'de'), '-4.321'));
test('in', () => assert.equal(group(1234567, 'in'), '12,34,567'));
test('in, large', () => assert.equal(group(10000000, 'in'), '1,00,00,000'));
test('small', () => assert.equal(group(12), '12'));
