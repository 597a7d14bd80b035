import test from 'node:test';
import assert from 'node:assert/strict';
import { rgb } from '../src/rgb.js';

test('hex', () => assert.deepEqual(rgb('#0080FF'), [0, 128, 255]));
test('name', () => assert.deepEqual(rgb('Teal'), [0, 128, 128]));
test('rebeccapurple', () => assert.deepEqual(rgb('rebeccapurple'), [102, 51, 153]));
test('short hex', () => assert.deepEqual(rgb('#f0a'), [255, 0, 170]));
test('bad', () => assert.throws(() => rgb('#12'), TypeError));
