import assert from 'node:assert/strict';
import { Calculator } from './src/core.js';
assert.equal(new Calculator('1+5*6').value(), 31);
