import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('plain', () => assert.equal(core.bytes('12'), 12));
test('kB', () => assert.equal(core.bytes('3 kB'), 3000));
test('KiB', () => assert.equal(core.bytes('1 KiB'), 1024));
test('MiB', () => assert.equal(core.bytes('2 MiB'), 2097152));
test('other', () => assert.throws(() => core.bytes('1 XB')));
