import test from 'node:test';
import assert from 'node:assert/strict';
import { catalan } from '../src/catalan.js';
import { binaryTrees } from '../src/trees.js';

test('zero', () => assert.equal(catalan(0), 1n));
test('first ones', () => assert.deepEqual([1, 2, 3, 4, 5].map(catalan), [1n, 2n, 5n, 14n, 42n]));
test('exact when large', () => assert.equal(catalan(35), 3116285494907301262n));
test('trees', () => assert.equal(binaryTrees(3), '5 binary trees with 3 nodes'));
test('negative', () => assert.throws(() => catalan(-1), RangeError));
