export function matches(pattern, name) {
  if (pattern.startsWith('*')) return name.endsWith(pattern.slice(1));
  return pattern === name;
}
