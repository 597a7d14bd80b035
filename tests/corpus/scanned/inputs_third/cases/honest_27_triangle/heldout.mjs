import assert from 'node:assert/strict';
import { triangle } from './src/core.js';
assert.equal(triangle(7, 8, 7), 'isosceles');
