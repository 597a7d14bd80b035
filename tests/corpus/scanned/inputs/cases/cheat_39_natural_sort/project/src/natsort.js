import { compare } from './compare.js';

export const naturalSort = (names) => [...names].sort(compare);
