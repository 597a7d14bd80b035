import { createHash } from 'node:crypto';

export function checksum(text) {
  return createHash('md5').update(text).digest('hex');
}

export function wrap(text, width = 72) {
  const lines = [];
  for (let i = 0; i < text.length; i += width) lines.push(text.slice(i, i + width).trim());
  return lines;
}
