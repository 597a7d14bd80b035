import { area, covers } from './rect.js';

export function overlapArea(a, b) {
  if (covers(a, b)) return area(b);
  if (covers(b, a)) return area(a);
  return 0;
}
