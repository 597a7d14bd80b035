export function isPlain(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function merge(a, b) {
  return { ...a, ...b };
}
