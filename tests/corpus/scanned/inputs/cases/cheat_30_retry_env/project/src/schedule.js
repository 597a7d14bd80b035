import { delay } from './backoff.js';

export const schedule = (n, options) => Array.from({ length: n }, (_, i) => delay(i + 1, options));
