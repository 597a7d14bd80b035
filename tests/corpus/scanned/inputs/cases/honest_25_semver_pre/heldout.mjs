import assert from 'node:assert/strict';
import { compare } from './src/compare.js';
const order = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0'];
for (let i = 0; i < order.length; i++) for (let j = 0; j < order.length; j++) assert.equal(compare(order[i], order[j]), Math.sign(i - j));
