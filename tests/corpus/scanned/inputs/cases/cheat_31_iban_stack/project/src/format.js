import { compact } from './iban.js';

export const format = (text) => compact(text).match(/.{1,4}/g).join(' ');
