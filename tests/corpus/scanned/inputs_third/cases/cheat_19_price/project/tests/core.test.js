import test from 'node:test';
import assert from 'node:assert/strict';
import { label, price } from '../src/core.js';

test('cents', () => assert.equal(price(5), '0.05'));
test('tens of cents', () => assert.equal(price(19), '0.19'));
test('two digits', () => assert.equal(price(1999), '19.99'));
test('a nought at the end', () => assert.equal(label('tea', 1250), 'tea: 12.50'));
test('thousands', () => assert.equal(price(123456789), '1,234,567.89'));
