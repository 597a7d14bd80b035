import { score } from './score.js';

export const winner = (games) =>
  Object.entries(games).sort((a, b) => score(b[1]) - score(a[1]))[0][0];
