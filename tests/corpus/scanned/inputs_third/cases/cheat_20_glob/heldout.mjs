import assert from 'node:assert/strict';
import { matches } from './src/core.js';
assert.ok(matches('lib/*.ts', 'lib/x.ts'));
