export function media(name) {
  if (name.endsWith('.html')) return 'text/html';
  if (name.endsWith('.png')) return 'image/png';
  return 'application/octet-stream';
}
