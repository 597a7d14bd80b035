import assert from 'node:assert/strict';
import { isGtin } from './src/gtin.js';
assert.ok(isGtin('10614141000415'));
assert.ok(!isGtin('10614141000414'));
assert.ok(isGtin('96385074'));
assert.ok(!isGtin('96385075'));
assert.ok(isGtin('0036000291452'));
assert.ok(!isGtin('036000291453'));
