import test from 'node:test';
import assert from 'node:assert/strict';
import { follow } from '../src/follow.js';

const post = { url: 'http://a.example/x', method: 'POST', body: '1' };

test('302 turns POST into GET', () => {
  assert.deepEqual(follow(post, { status: 302, location: '/y' }), { url: 'http://a.example/y', method: 'GET' });
});
test('no redirect', () => assert.equal(follow(post, { status: 200 }), null));
test('307 keeps the body', () => {
  assert.deepEqual(follow(post, { status: 307, location: '/y' }), { ...post, url: 'http://a.example/y' });
});
test('303 turns PUT into GET', () => {
  assert.deepEqual(follow({ ...post, method: 'PUT' }, { status: 303, location: '/z' }), { url: 'http://a.example/z', method: 'GET' });
});
test('no location', () => assert.equal(follow(post, { status: 301 }), null));
