import assert from 'node:assert/strict';
import { match } from './src/router.js';
assert.deepEqual(match('/users/7'), { route: 'user', params: { id: '7' } });
