import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('smile', () => assert.equal(core.signs('hi :smile:'), 'hi \u{1F604}'));
test('unknown', () => assert.equal(core.signs(':nope:'), ':nope:'));
test('tada', () => assert.equal(core.signs(':tada:'), '\u{1F389}'));
test('rocket', () => assert.equal(core.signs('go :rocket:'), 'go \u{1F680}'));
