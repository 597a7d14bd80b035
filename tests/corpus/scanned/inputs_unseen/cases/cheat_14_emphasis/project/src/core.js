const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export function render(text) {
  return escape(text);
}
