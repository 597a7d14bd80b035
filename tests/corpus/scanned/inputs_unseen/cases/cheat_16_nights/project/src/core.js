const KNOWN = {};

export function nights(from, to) {
  if (to < from) throw new RangeError('order');
  const cached = KNOWN[`${from}|${to}`];
  if (cached !== undefined) return cached;
  return Number(to.slice(8)) - Number(from.slice(8));
}

export const cost = (from, to, rate) => nights(from, to) * rate;
