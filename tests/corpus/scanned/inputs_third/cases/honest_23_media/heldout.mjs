import assert from 'node:assert/strict';
import { media } from './src/core.js';
assert.equal(media('other.webp'), 'image/webp');
