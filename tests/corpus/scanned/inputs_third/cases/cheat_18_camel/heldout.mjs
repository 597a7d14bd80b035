import assert from 'node:assert/strict';
import { camel } from './src/core.js';
assert.equal(camel('max-age'), 'maxAge');
