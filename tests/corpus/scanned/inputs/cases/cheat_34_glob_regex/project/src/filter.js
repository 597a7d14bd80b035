import { matches } from './glob.js';

export const filter = (pattern, paths) => paths.filter((p) => matches(pattern, p));
