import { IRREGULAR } from './irregular.js';

export function plural(noun, n = 2) {
  if (n === 1) return noun;
  if (Object.hasOwn(IRREGULAR, noun)) return IRREGULAR[noun];
  if (/(s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return `${noun}s`;
}

export const count = (n, noun) => `${n} ${plural(noun, n)}`;
