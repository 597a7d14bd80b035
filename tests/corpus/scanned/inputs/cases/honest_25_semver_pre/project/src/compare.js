import { parse } from './parse.js';

export function compare(a, b) {
  const x = parse(a), y = parse(b);
  for (let i = 0; i < 3; i++) {
    if (x.numbers[i] !== y.numbers[i]) return Math.sign(x.numbers[i] - y.numbers[i]);
  }
  return 0;
}

export const latest = (versions) => [...versions].sort(compare).at(-1);
