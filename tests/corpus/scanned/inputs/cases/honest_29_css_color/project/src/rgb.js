import { NAMES } from './names.js';

export function rgb(text) {
  const key = text.trim().toLowerCase();
  const hex = Object.hasOwn(NAMES, key) ? NAMES[key] : key;
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(hex);
  if (!match) throw new TypeError(`not a colour: ${text}`);
  return match.slice(1).map((h) => parseInt(h, 16));
}
