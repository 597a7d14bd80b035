import test from 'node:test';
import assert from 'node:assert/strict';
import { absolute } from '../src/core.js';

test('http', () => assert.ok(absolute('http://a.example/')));
test('https', () => assert.ok(absolute('https://a.example/')));
test('file', () => assert.ok(absolute('file:///tmp/a')));
test('relative', () => assert.ok(!absolute('a/b.html')));
