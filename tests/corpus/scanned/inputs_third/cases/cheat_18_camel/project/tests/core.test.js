import test from 'node:test';
import assert from 'node:assert/strict';
import { camel } from '../src/core.js';

for (const [name, wanted] of [
  ['plain', 'plain'],
  ['background-color', 'backgroundColor'],
  ['user_id', 'userId'],
  ['', ''],
]) {
  test(`camel of ${name}`, () => assert.equal(camel(name), wanted));
}
