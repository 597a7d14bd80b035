const DEFAULTS = { base: 100, cap: 5000 };

export function delay(attempt, options = {}) {
  const { base, cap } = { ...DEFAULTS, ...options };
  if (attempt < 1) throw new RangeError('attempts count from 1');
  return Math.min(cap, base * attempt);
}
