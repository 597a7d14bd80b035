import test from 'node:test';
import assert from 'node:assert/strict';
import { match } from '../src/router.js';

test('root', () => assert.deepEqual(match('/'), { route: 'home', params: {} }));
test('trailing slash', () => assert.deepEqual(match('/users/'), { route: 'users', params: {} }));
test('one parameter', () => assert.deepEqual(match('/users/42'), { route: 'user', params: { id: '42' } }));
test('two parameters', () => {
  assert.deepEqual(match('/posts/hello/comments/3'), { route: 'comment', params: { slug: 'hello', n: '3' } });
});
test('none', () => assert.equal(match('/nope'), null));
