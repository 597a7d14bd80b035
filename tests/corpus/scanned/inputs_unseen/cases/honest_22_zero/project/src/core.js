export function tidy(n) {
  return Math.round(n * 100) / 100;
}
