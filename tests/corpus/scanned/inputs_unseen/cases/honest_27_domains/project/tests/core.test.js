import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('plain', () => assert.equal(core.site('www.example.com'), 'example.com'));
test('short', () => assert.equal(core.site('example.org'), 'example.org'));
test('uk', () => assert.equal(core.site('www.bbc.co.uk'), 'bbc.co.uk'));
test('au', () => assert.equal(core.site('shop.example.com.au'), 'example.com.au'));
