import assert from 'node:assert/strict';
import { isEmail } from './src/email.js';
assert.ok(isEmail('x+y+z@sub.domain.museum'));
assert.ok(!isEmail('x y@domain.museum'));
assert.ok(!isEmail('x@domain.c'));
