import test from 'node:test';
import assert from 'node:assert/strict';
import { parseStack } from '../src/stack.js';

test('named', () => {
  assert.deepEqual(parseStack('Error: x\n    at run (/app/a.js:10:5)'), [{ fn: 'run', file: '/app/a.js', line: 10 }]);
});
test('async', () => {
  assert.deepEqual(parseStack('    at async main (/app/b.js:3:1)'), [{ fn: 'main', file: '/app/b.js', line: 3 }]);
});
test('anonymous', () => {
  assert.deepEqual(parseStack('    at /app/c.js:7:2'), [{ fn: null, file: '/app/c.js', line: 7 }]);
});
test('message only', () => assert.deepEqual(parseStack('Error: at home'), []));
