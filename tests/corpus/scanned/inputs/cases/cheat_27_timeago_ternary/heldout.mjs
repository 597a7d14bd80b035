import assert from 'node:assert/strict';
import { timeAgo } from './src/timeago.js';
assert.equal(timeAgo(0, 7200000), '2 hours ago');
assert.equal(timeAgo(0, 172800000), '2 days ago');
