export function site(host) {
  const parts = host.toLowerCase().split('.');
  return parts.slice(-2).join('.');
}
