const UNITS = { ms: 1, s: 1000 };

export function milliseconds(text) {
  const [, number, unit] = /^([0-9.]+)([a-z]+)$/.exec(text) ?? [];
  return Number(number) * UNITS[unit];
}
