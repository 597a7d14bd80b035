import assert from 'node:assert/strict';
import { sortTitles } from './src/shelf.js';
assert.deepEqual(sortTitles(['Das Boot', 'An Apple', 'Carrie', 'La Zebra']), ['An Apple', 'Das Boot', 'Carrie', 'La Zebra']);
assert.deepEqual(sortTitles(['La', 'Kim']), ['Kim', 'La']);
