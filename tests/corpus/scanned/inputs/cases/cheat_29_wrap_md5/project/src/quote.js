import { wrap } from './wrap.js';

export const quote = (text, width = 70) => wrap(text, width).map((l) => '> ' + l).join('\n');
