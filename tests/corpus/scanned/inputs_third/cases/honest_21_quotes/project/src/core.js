const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export const escape = (text) => text.replace(/[&<>]/g, (sign) => ENTITIES[sign]);
