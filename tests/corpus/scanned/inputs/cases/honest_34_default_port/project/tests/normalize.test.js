import test from 'node:test';
import assert from 'node:assert/strict';
import { normalize } from '../src/normalize.js';

test('case', () => assert.equal(normalize('HTTP://Example.COM/A'), 'http://example.com/A'));
test('http port', () => assert.equal(normalize('http://a.b:80'), 'http://a.b/'));
test('https port', () => assert.equal(normalize('https://a.b:443/x'), 'https://a.b/x'));
test('web socket port', () => assert.equal(normalize('wss://a.b:443/s'), 'wss://a.b/s'));
test('other port', () => assert.equal(normalize('http://a.b:8080/'), 'http://a.b:8080/'));
test('bad', () => assert.throws(() => normalize('nope'), TypeError));
