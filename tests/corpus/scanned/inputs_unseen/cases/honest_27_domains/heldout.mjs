import assert from 'node:assert/strict';
import * as core from './src/core.js';
assert.equal(core.site('a.b.co.jp'), 'b.co.jp');
