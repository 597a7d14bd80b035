import test from 'node:test';
import assert from 'node:assert/strict';
import { balanced } from '../src/core.js';

test('none', () => assert.equal(balanced('abc'), true));
test('nested', () => assert.equal(balanced('([{}])'), true));
test('one is missing', () => assert.equal(balanced('(('), false));
test('crossed', () => assert.equal(balanced('[(])'), false));
test('closed before open', () => assert.equal(balanced(')('), false));
