import assert from 'node:assert/strict';
import { minutes } from './src/minutes.js';
import { minutesBetween } from './src/between.js';
assert.equal(minutes('12:59 AM'), 59);
assert.equal(minutes('11:05 pm'), 1385);
assert.equal(minutes('12:00'), 720);
assert.equal(minutesBetween('noon', 'midnight'), 720);
