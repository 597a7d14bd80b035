import test from 'node:test';
import assert from 'node:assert/strict';
import { kebab, snake } from '../src/casing.js';
import { snakeKeys } from '../src/keys.js';

test('camel', () => assert.equal(snake('firstName'), 'first_name'));
test('pascal', () => assert.equal(snake('UserId'), 'user_id'));
test('acronym inside', () => assert.equal(snake('parseHTMLPage'), 'parse_html_page'));
test('acronym at the end', () => assert.equal(snake('userID'), 'user_id'));
test('kebab acronym', () => assert.equal(kebab('XMLHttpRequest'), 'xml-http-request'));
test('keys', () => assert.deepEqual(snakeKeys({ aB: 1 }), { a_b: 1 }));
