import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('c', () => assert.equal(core.celsius(5, 'C'), 5));
test('f', () => assert.equal(core.celsius(212, 'F'), 100));
test('k', () => assert.equal(core.celsius(273.15, 'K'), 0));
test('other', () => assert.throws(() => core.celsius(1, 'X')));
