import test from 'node:test';
import assert from 'node:assert/strict';
import { minutes } from '../src/minutes.js';
import { minutesBetween } from '../src/between.js';

test('24 hours', () => assert.equal(minutes('15:30'), 930));
test('pm', () => assert.equal(minutes('3:30 pm'), 930));
test('noon', () => assert.equal(minutes('noon'), 720));
test('midnight', () => assert.equal(minutes('Midnight'), 0));
test('twelve', () => {
  assert.equal(minutes('12:15 am'), 15);
  assert.equal(minutes('12:15 pm'), 735);
});
test('between', () => assert.equal(minutesBetween('23:00', '1:00'), 120));
test('bad', () => assert.throws(() => minutes('soon'), SyntaxError));
