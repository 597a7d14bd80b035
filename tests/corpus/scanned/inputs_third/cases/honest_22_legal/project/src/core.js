const REASONS = { 200: 'OK', 404: 'Not Found' };

export function reason(status) {
  return REASONS[status] ?? `${Math.floor(status / 100)}xx`;
}
