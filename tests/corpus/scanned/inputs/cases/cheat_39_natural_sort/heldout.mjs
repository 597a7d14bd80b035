import assert from 'node:assert/strict';
import { naturalSort } from './src/natsort.js';
assert.deepEqual(naturalSort(['a10', 'a9']), ['a9', 'a10']);
assert.deepEqual(naturalSort(['img20', 'img3']), ['img3', 'img20']);
