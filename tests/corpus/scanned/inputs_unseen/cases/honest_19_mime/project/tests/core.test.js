import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('png', () => assert.equal(core.type('a.PNG'), 'image/png'));
test('other', () => assert.equal(core.type('a.xyz'), 'application/octet-stream'));
test('webp', () => assert.equal(core.type('photo.webp'), 'image/webp'));
test('avif', () => assert.equal(core.type('photo.avif'), 'image/avif'));
