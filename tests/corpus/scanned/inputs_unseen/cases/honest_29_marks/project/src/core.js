export function mark(points) {
  if (points >= 90) return 'A';
  if (points >= 80) return 'B';
  return 'C';
}
