const TYPES = { '.png': 'image/png', '.html': 'text/html', '.js': 'text/javascript' };

export function type(name) {
  const end = name.slice(name.lastIndexOf('.')).toLowerCase();
  return TYPES[end] ?? 'application/octet-stream';
}
