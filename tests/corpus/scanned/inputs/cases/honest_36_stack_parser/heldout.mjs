import assert from 'node:assert/strict';
import { parseStack } from './src/stack.js';
assert.deepEqual(parseStack('E\n  at async /x/y.mjs:99:1\n  at Foo.bar (file:///z.js:1:2)'), [
  { fn: null, file: '/x/y.mjs', line: 99 },
  { fn: 'Foo.bar', file: 'file:///z.js', line: 1 },
]);
