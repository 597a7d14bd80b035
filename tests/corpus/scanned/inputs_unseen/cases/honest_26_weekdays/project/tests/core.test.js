import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('monday', () => assert.equal(core.day(0), 'Monday'));
test('again', () => assert.equal(core.day(8), 'Tuesday'));
test('french', () => assert.equal(core.day(0, 'fr'), 'lundi'));
test('french sunday', () => assert.equal(core.day(6, 'fr'), 'dimanche'));
