import { ALPHABET } from './alphabet.js';

export function encode(n) {
  if (!Number.isSafeInteger(n) || n < 0) throw new RangeError('natural numbers only');
  return ALPHABET[n % 62];
}

export function decode(text) {
  return [...text].reduce((n, c) => n * 62 + ALPHABET.indexOf(c), 0);
}
