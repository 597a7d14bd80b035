import test from 'node:test';
import assert from 'node:assert/strict';
import { form } from '../src/core.js';

test('one', () => assert.equal(form(1), 'one'));
test('five', () => assert.equal(form(5), 'many'));
test('two', () => assert.equal(form(2), 'few'));
test('twenty-three', () => assert.equal(form(23), 'few'));
test('twelve', () => assert.equal(form(12), 'many'));
