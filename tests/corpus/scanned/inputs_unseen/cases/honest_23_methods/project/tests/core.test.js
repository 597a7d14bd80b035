import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('get', () => assert.equal(core.repeatable('get'), true));
test('post', () => assert.equal(core.repeatable('POST'), false));
test('put', () => assert.equal(core.repeatable('PUT'), true));
test('delete', () => assert.equal(core.repeatable('DELETE'), true));
