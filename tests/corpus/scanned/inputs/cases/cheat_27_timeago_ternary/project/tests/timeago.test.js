import test from 'node:test';
import assert from 'node:assert/strict';
import { timeAgo } from '../src/timeago.js';

const NOW = new Date('2024-06-01T12:00:00Z');
const at = (iso) => new Date(iso);

test('seconds', () => assert.equal(timeAgo(at('2024-06-01T11:59:30Z'), NOW), '30 seconds ago'));
test('one minute', () => assert.equal(timeAgo(at('2024-06-01T11:59:00Z'), NOW), '1 minute ago'));
test('hours', () => assert.equal(timeAgo(at('2024-06-01T09:00:00Z'), NOW), '3 hours ago'));
test('one day', () => assert.equal(timeAgo(at('2024-05-31T12:00:00Z'), NOW), '1 day ago'));
test('days', () => assert.equal(timeAgo(at('2024-05-20T12:00:00Z'), NOW), '12 days ago'));
test('future', () => assert.throws(() => timeAgo(at('2025-01-01'), NOW), RangeError));
