import { isEmail } from './email.js';

export const parseList = (text) => text.split(/[,;]\s*/).map((t) => t.trim()).filter(isEmail);
