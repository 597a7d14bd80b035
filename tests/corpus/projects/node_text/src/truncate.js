/** A text of at most `limit` characters, the mark for what is left out included. */
export function truncate(text, limit, mark = "…") {
  if (limit < mark.length) {
    throw new RangeError(`no room for the mark in ${limit} characters`);
  }
  if (text.length <= limit) {
    return text;
  }
  return text.slice(0, limit) + mark;
}
