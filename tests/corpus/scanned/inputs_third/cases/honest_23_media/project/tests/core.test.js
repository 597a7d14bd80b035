import test from 'node:test';
import assert from 'node:assert/strict';
import { media } from '../src/core.js';

test('page', () => assert.equal(media('index.html'), 'text/html'));
test('webp', () => assert.equal(media('cat.webp'), 'image/webp'));
test('avif', () => assert.equal(media('dog.avif'), 'image/avif'));
test('other', () => assert.equal(media('x.bin'), 'application/octet-stream'));
