export function literal(text) {
  return new RegExp(text.replace(/[.*]/g, '\\$&'));
}
