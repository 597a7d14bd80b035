import assert from 'node:assert/strict';
import { normalize } from './src/normalize.js';
assert.equal(normalize('ftp://X:21/f'), 'ftp://x/f');
assert.equal(normalize('ws://x:443/'), 'ws://x:443/');
assert.equal(normalize('https://x:433'), 'https://x:433/');
