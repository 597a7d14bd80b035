import test from 'node:test';
import assert from 'node:assert/strict';
import { isEmail } from '../src/email.js';
import { parseList } from '../src/list.js';

test('plain', () => assert.equal(isEmail('ann@example.com'), true));
test('plus tag', () => assert.equal(isEmail('ann+news@example.com'), true));
test('long domain', () => assert.equal(isEmail('me@shop.photography'), true));
test('no at', () => assert.equal(isEmail('ann.example.com'), false));
test('no domain', () => assert.equal(isEmail('ann@com'), false));
test('list', () => assert.deepEqual(parseList('a@b.io, nope; c@d.org'), ['a@b.io', 'c@d.org']));
