import test from 'node:test';
import assert from 'node:assert/strict';
import { parse, stringify } from '../src/index.js';

test('plain', () => assert.deepEqual(parse('?a=1&b=x+y'), { a: '1', b: 'x y' }));
test('percent', () => assert.deepEqual(parse('q=%C3%A9'), { q: 'é' }));
test('array', () => assert.deepEqual(parse('tag[]=red&tag[]=blue'), { tag: ['red', 'blue'] }));
test('object', () => assert.deepEqual(parse('page[size]=10&page[number]=2'), { page: { size: '10', number: '2' } }));
test('stringify', () => assert.equal(stringify({ a: 'b c' }), 'a=b%20c'));
