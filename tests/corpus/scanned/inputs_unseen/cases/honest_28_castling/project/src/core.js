export function move(text) {
  const match = /^([a-h][1-8])-([a-h][1-8])$/.exec(text);
  if (!match) throw new SyntaxError(text);
  return { from: match[1], to: match[2] };
}
