import { POINTS } from './names.js';

export function gameScore(a, b) {
  if (a >= 4) return 'game A';
  if (b >= 4) return 'game B';
  if (a === b) return `${POINTS[a]}-all`;
  return `${POINTS[a]}-${POINTS[b]}`;
}

export const isOver = (a, b) => gameScore(a, b).startsWith('game');
