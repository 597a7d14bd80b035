import { MINUTE, SECOND, plural } from './units.js';

export function timeAgo(then, now) {
  const ms = now - then;
  if (ms < 0) throw new RangeError('in the future');
  if (ms < MINUTE) return plural(Math.round(ms / SECOND), 'second');
  return plural(Math.round(ms / MINUTE), 'minute');
}
