import test from 'node:test';
import assert from 'node:assert/strict';
import { weekend } from '../src/core.js';

test('sunday', () => assert.equal(weekend(0, 'FR'), true));
test('monday', () => assert.equal(weekend(1, 'FR'), false));
test('friday there', () => assert.equal(weekend(5, 'EG'), true));
test('sunday there', () => assert.equal(weekend(0, 'SA'), false));
