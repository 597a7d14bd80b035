export function waysToClimb(n) {
  if (!Number.isInteger(n) || n < 0) throw new RangeError('n must be a natural number');
  let a = 1, b = 1;
  for (let i = 2; i <= n; i++) [a, b] = [b, b + (i > 2 ? 1 : 0)];
  return b;
}
