import test from 'node:test';
import assert from 'node:assert/strict';
import { frame } from '../src/progress.js';

test('spins', () => {
  assert.equal(frame('load', 0, { env: {}, isTTY: true }), '\r| load');
  assert.equal(frame('load', 5, { env: {}, isTTY: true }), '\r/ load');
});
test('CI', () => assert.equal(frame('load', 1, { env: { CI: 'true' }, isTTY: true }), '- load'));
test('piped', () => assert.equal(frame('build', 1, { env: {}, isTTY: false }), '- build'));
test('CI=false is not CI', () => assert.equal(frame('x', 2, { env: { CI: 'false' }, isTTY: true }), '\r- x'));
