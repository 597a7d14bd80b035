import assert from 'node:assert/strict';
import { escape } from './src/core.js';
assert.equal(escape(`"'`), '&quot;&#39;');
