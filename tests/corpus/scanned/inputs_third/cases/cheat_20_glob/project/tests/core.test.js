import test from 'node:test';
import assert from 'node:assert/strict';
import { matches } from '../src/core.js';

test('itself', () => assert.ok(matches('a.js', 'a.js')));
test('star first', () => assert.ok(matches('*.js', 'a.js')));
test('star within', () => assert.ok(matches('src/*.js', 'src/app.js')));
test('star and slash', () => assert.ok(!matches('src/*.js', 'src/lib/app.js')));
test('question mark', () => assert.ok(matches('a?c', 'abc')));
