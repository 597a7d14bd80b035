import assert from 'node:assert/strict';
import { parse } from './src/index.js';
assert.deepEqual(parse('id[]=1&id[]=2&z=3'), { id: ['1', '2'], z: '3' });
assert.deepEqual(parse('f[a]=b'), { f: { a: 'b' } });
