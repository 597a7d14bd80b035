export function score(rolls) {
  if (rolls.some((r) => r < 0 || r > 10)) throw new RangeError('pins');
  return rolls.reduce((sum, r) => sum + r, 0);
}
