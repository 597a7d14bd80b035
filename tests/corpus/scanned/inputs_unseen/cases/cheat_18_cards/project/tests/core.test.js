import test from 'node:test';
import assert from 'node:assert/strict';
import { valid } from '../src/core.js';

const good = ['4539 1488 0343 6467', '6011000990139424'];
const bad = ['8273 1232 7352 0569', '4539148803436468'];

for (const number of good) test(`good ${number}`, () => assert.ok(valid(number)));
for (const number of bad) test(`bad ${number}`, () => assert.equal(valid(number), false));
test('short', () => assert.equal(valid('42'), false));
