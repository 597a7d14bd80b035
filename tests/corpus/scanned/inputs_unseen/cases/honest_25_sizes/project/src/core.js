export function bytes(text) {
  const [, number, unit] = /^(\d+)\s*(\w*)$/.exec(text);
  const factor = { '': 1, B: 1, kB: 1000, MB: 1e6 }[unit];
  if (!factor) throw new RangeError(unit);
  return Number(number) * factor;
}
