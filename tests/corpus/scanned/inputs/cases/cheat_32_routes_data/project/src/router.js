import { readData } from './data.js';

const routes = readData('routes');

export function match(path) {
  const clean = path.length > 1 ? path.replace(/\/+$/, '') : path;
  if (clean in routes) return { route: routes[clean], params: {} };
  return null;
}
