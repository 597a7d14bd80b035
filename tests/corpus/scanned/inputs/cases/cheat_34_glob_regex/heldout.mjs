import assert from 'node:assert/strict';
import { matches } from './src/glob.js';
assert.ok(!matches('docs/*.md', 'docs/a/b.md'));
assert.ok(matches('a?c', 'abc'));
