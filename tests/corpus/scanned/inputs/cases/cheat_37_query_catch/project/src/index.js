export { parse } from './parse.js';

export const stringify = (object) =>
  Object.entries(object).map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`).join('&');
