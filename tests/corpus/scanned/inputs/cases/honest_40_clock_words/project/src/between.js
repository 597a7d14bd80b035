import { minutes } from './minutes.js';

export const minutesBetween = (from, to) => (minutes(to) - minutes(from) + 1440) % 1440;
