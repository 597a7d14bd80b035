import assert from 'node:assert/strict';
import { flags } from './src/core.js';
assert.deepEqual(flags(['-h', '-z']), { help: true, z: true });
