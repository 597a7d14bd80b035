import test from 'node:test';
import assert from 'node:assert/strict';
import { escape } from '../src/core.js';

test('plain', () => assert.equal(escape('abc'), 'abc'));
test('tags', () => assert.equal(escape('<b>'), '&lt;b&gt;'));
test('double', () => assert.equal(escape('say "hi"'), 'say &quot;hi&quot;'));
test('single', () => assert.equal(escape("it's"), 'it&#39;s'));
