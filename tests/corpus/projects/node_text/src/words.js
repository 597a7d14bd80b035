export function wordCount(text) {
  return text.split(/\s+/).filter(Boolean).length;
}

/** Each word with a capital letter first. */
export function titleCase(text) {
  return text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
