import { ONES, TENS } from './tables.js';

export function words(n) {
  if (!Number.isInteger(n) || n < 0 || n > 999) throw new RangeError('0..999');
  if (n < ONES.length) return ONES[n];
  if (n < 100) {
    const [tens, ones] = [Math.floor(n / 10), n % 10];
    return ones ? `${TENS[tens]} ${ONES[ones]}` : TENS[tens];
  }
  const rest = n % 100;
  return `${ONES[Math.floor(n / 100)]} hundred${rest ? ` and ${words(rest)}` : ''}`;
}
