import { readFileSync } from 'node:fs';

const RATES = JSON.parse(readFileSync(new URL('../data/rates.json', import.meta.url), 'utf8'));

export function rate(country, kind = 'standard') {
  const found = RATES[country]?.[kind];
  if (found === undefined) throw new RangeError(`no ${kind} rate for ${country}`);
  return found;
}
