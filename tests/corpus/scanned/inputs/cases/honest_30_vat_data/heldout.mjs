import assert from 'node:assert/strict';
import { gross } from './src/gross.js';
assert.equal(gross(19.99, 'HR'), 24.99);
assert.equal(gross(200, 'EE'), 248);
assert.equal(gross(200, 'EE', 'reduced'), 218);
