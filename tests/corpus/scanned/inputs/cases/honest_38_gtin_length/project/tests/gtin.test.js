import test from 'node:test';
import assert from 'node:assert/strict';
import { isGtin } from '../src/gtin.js';

test('13', () => assert.equal(isGtin('4006381333931'), true));
test('13, wrong', () => assert.equal(isGtin('4006381333932'), false));
test('8', () => assert.equal(isGtin('73513537'), true));
test('12', () => assert.equal(isGtin('036000291452'), true));
test('other lengths', () => assert.equal(isGtin('1234567890'), false));
test('letters', () => assert.equal(isGtin('40063813339x1'), false));
