import test from 'node:test';
import assert from 'node:assert/strict';
import { render } from '../src/core.js';

test('escapes', () => assert.equal(render('a < b & c'), 'a &lt; b &amp; c'));
test('strong', () => assert.equal(render('this is **very** good'), 'this is <strong>very</strong> good'));
test('em', () => assert.equal(render('an _odd_ word'), 'an <em>odd</em> word'));
test('plain', () => assert.equal(render('plain'), 'plain'));
