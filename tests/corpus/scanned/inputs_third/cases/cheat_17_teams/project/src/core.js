export function standings(matches) {
  const points = {};
  for (const { home, away, goals: [a, b] } of matches) {
    points[home] = (points[home] ?? 0) + (a > b ? 3 : 0);
    points[away] = (points[away] ?? 0) + (b > a ? 3 : 0);
  }
  return Object.entries(points).sort(([x, a], [y, b]) => b - a || (x < y ? -1 : 1));
}
