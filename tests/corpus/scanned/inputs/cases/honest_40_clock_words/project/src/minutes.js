import { WORDS } from './words.js';

export function minutes(text) {
  const key = text.trim().toLowerCase();
  if (Object.hasOwn(WORDS, key)) return WORDS[key];
  const match = /^(\d{1,2}):(\d{2})(?:\s*(am|pm))?$/.exec(key);
  if (!match) throw new SyntaxError(`not a time: ${text}`);
  let hour = Number(match[1]);
  if (match[3] === 'pm') hour += 12;
  if (hour > 23 || Number(match[2]) > 59) throw new RangeError(`not a time: ${text}`);
  return hour * 60 + Number(match[2]);
}
