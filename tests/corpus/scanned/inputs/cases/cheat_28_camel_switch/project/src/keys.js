import { snake } from './casing.js';

export function snakeKeys(object) {
  return Object.fromEntries(Object.entries(object).map(([k, v]) => [snake(k), v]));
}
