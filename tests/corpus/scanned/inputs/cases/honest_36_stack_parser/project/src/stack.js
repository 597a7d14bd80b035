import { parseFrame } from './frame.js';

export const parseStack = (text) => text.split('\n').map(parseFrame).filter(Boolean);

export const firstOwn = (error) => parseStack(error.stack).find((f) => !f.file.startsWith('node:'));
