import assert from 'node:assert/strict';
import { score } from './src/core.js';
assert.equal(score({ title: 'Bread', text: 'bread' }, 'bread'), 4);
