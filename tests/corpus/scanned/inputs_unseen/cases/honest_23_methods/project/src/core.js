const SAFE = new Set(['GET', 'HEAD']);

export function repeatable(method) {
  return SAFE.has(method.toUpperCase());
}
