import { DEFAULT_PORTS } from './ports.js';

export function normalize(url) {
  const match = /^([a-z]+):\/\/([^/:]+)(?::(\d+))?(\/.*)?$/i.exec(url);
  if (!match) throw new TypeError(`bad url ${url}`);
  const scheme = match[1].toLowerCase();
  const port = match[3] && Number(match[3]) !== DEFAULT_PORTS.get(scheme) ? `:${match[3]}` : '';
  return `${scheme}://${match[2].toLowerCase()}${port}${match[4] ?? '/'}`;
}
