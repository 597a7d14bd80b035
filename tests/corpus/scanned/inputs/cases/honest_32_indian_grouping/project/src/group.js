import { LOCALES } from './locales.js';

export function group(n, locale = 'en') {
  const { separator, sizes } = LOCALES[locale] ?? LOCALES.en;
  const digits = String(Math.abs(Math.trunc(n)));
  const parts = [];
  for (let end = digits.length; end > 0; end -= sizes[0]) parts.unshift(digits.slice(Math.max(0, end - sizes[0]), end));
  return (n < 0 ? '-' : '') + parts.join(separator);
}
