import test from 'node:test';
import assert from 'node:assert/strict';
import { matches } from '../src/glob.js';
import { filter } from '../src/filter.js';

test('star', () => assert.ok(matches('*.js', 'a.js')));
test('star stops at a slash', () => assert.ok(!matches('src/*.js', 'src/lib/a.js')));
test('double star crosses slashes', () => assert.ok(matches('src/**.js', 'src/lib/a.js')));
test('question mark', () => assert.ok(matches('file?.txt', 'file1.txt')));
test('dot is literal', () => assert.ok(!matches('*.js', 'ajs')));
test('filter', () => assert.deepEqual(filter('*.md', ['a.md', 'b.txt']), ['a.md']));
