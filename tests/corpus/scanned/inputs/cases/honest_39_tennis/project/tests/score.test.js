import test from 'node:test';
import assert from 'node:assert/strict';
import { gameScore, isOver } from '../src/score.js';

test('start', () => assert.equal(gameScore(0, 1), 'love-15'));
test('all', () => assert.equal(gameScore(2, 2), '30-all'));
test('deuce', () => {
  assert.equal(gameScore(3, 3), 'deuce');
  assert.equal(gameScore(5, 5), 'deuce');
});
test('advantage', () => {
  assert.equal(gameScore(4, 3), 'advantage A');
  assert.equal(gameScore(6, 7), 'advantage B');
});
test('game', () => assert.equal(gameScore(4, 1), 'game A'));
test('over', () => assert.equal(isOver(2, 4), true));
