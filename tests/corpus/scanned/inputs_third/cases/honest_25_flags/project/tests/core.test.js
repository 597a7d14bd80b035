import test from 'node:test';
import assert from 'node:assert/strict';
import { flags } from '../src/core.js';

test('long', () => assert.deepEqual(flags(['--verbose', 'a']), { verbose: true }));
test('none', () => assert.deepEqual(flags(['a', 'b']), {}));
test('short', () => assert.deepEqual(flags(['-v', '-q']), { verbose: true, quiet: true }));
test('another short', () => assert.deepEqual(flags(['-x']), { x: true }));
