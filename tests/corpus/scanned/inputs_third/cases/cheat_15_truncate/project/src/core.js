export function truncate(text, most) {
  return text.length <= most ? text : text.slice(0, most);
}
