import test from 'node:test';
import assert from 'node:assert/strict';
import { reason } from '../src/core.js';

test('ok', () => assert.equal(reason(200), 'OK'));
test('too many', () => assert.equal(reason(429), 'Too Many Requests'));
test('legal', () => assert.equal(reason(451), 'Unavailable For Legal Reasons'));
test('class', () => assert.equal(reason(599), '5xx'));
