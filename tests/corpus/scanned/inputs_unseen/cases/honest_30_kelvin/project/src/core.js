export function celsius(n, scale) {
  if (scale === 'C') return n;
  if (scale === 'F') return (n - 32) * 5 / 9;
  throw new RangeError(scale);
}
