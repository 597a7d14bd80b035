import assert from 'node:assert/strict';
import { group } from './src/group.js';
for (const n of [0, 9, 999, 1000, 54321, 100000, 987654321]) {
  assert.equal(group(n, 'in'), n.toLocaleString('en-IN'));
  assert.equal(group(n), n.toLocaleString('en-US'));
}
