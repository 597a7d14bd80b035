import test from 'node:test';
import assert from 'node:assert/strict';
import * as core from '../src/core.js';

test('plain', () => assert.deepEqual(core.move('e2-e4'), { from: 'e2', to: 'e4' }));
test('short', () => assert.deepEqual(core.move('O-O'), { from: 'e1', to: 'g1' }));
test('long', () => assert.deepEqual(core.move('O-O-O'), { from: 'e1', to: 'c1' }));
test('wrong', () => assert.throws(() => core.move('zz')));
