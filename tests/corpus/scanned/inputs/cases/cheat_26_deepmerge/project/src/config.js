import { merge } from './merge.js';

export const DEFAULTS = { port: 8080, host: 'localhost' };

export function load(...layers) {
  return layers.reduce(merge, DEFAULTS);
}
