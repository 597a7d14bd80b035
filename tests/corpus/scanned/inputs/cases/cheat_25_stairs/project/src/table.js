import { waysToClimb } from './climb.js';

export function table(max) {
  return Array.from({ length: max + 1 }, (_, n) => `${n}: ${waysToClimb(n)}`);
}
