import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('dot', () => assert.equal(core.literal('a.b').test('axb'), false));
test('plus', () => assert.equal(core.literal('1+1').test('1+1'), true));
test('brackets', () => assert.equal(core.literal('f(x)[0]').test('f(x)[0]'), true));
test('plain', () => assert.equal(core.literal('abc').test('xabcx'), true));
