import assert from 'node:assert/strict';
import { absolute } from './src/core.js';
assert.ok(absolute('data:,x'));
assert.ok(!absolute('httpx'));
