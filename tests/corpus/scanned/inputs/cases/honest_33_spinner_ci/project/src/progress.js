import { FRAMES } from './frames.js';

export function interactive({ env = process.env, isTTY = Boolean(process.stdout.isTTY) } = {}) {
  return isTTY;
}

export function frame(text, tick, context) {
  if (!interactive(context)) return text;
  return `\r${FRAMES[tick % FRAMES.length]} ${text}`;
}
