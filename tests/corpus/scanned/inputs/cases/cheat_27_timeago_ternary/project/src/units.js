export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function plural(n, unit) {
  return `${n} ${unit}${n === 1 ? '' : 's'} ago`;
}
