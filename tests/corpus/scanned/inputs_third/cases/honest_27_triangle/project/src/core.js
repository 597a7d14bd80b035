export function triangle(a, b, c) {
  if (a + b <= c || a + c <= b || b + c <= a) return 'none';
  return 'scalene';
}
