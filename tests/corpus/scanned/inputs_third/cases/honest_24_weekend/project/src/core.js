export function weekend(day, country) {
  return day === 0 || day === 6;
}
