import { checkDigit } from './checkdigit.js';

export function isGtin(text) {
  if (!/^\d{13}$/.test(text)) return false;
  return checkDigit(text.slice(0, -1)) === Number(text.at(-1));
}
