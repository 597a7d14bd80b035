import assert from 'node:assert/strict';
import { follow } from './src/follow.js';
const r = (method, status) => follow({ url: 'http://b.example/', method }, { status, location: 'q' })?.method;
assert.equal(r('HEAD', 303), 'HEAD');
assert.equal(r('DELETE', 308), 'DELETE');
assert.equal(r('PUT', 301), 'PUT');
assert.equal(r('POST', 304), undefined);
