import test from 'node:test';
import assert from 'node:assert/strict';
import { signed } from '../src/core.js';

test('more', () => assert.equal(signed(3), '+3'));
test('less', () => assert.equal(signed(-2), '-2'));
test('nought', () => assert.equal(signed(0), '0'));
