import test from 'node:test';
import assert from 'node:assert/strict';
import { Calculator } from '../src/core.js';

const value = (text) => new Calculator(text).value();

test('sum', () => assert.equal(value('1 + 2'), 3));
test('product', () => assert.equal(value('2 * 3 + 1'), 7));
test('tighter', () => assert.equal(value('2 + 3 * 4'), 14));
test('two products', () => assert.equal(value('2 * 5 + 6 * 7'), 52));
