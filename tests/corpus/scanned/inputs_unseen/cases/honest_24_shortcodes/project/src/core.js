const SIGNS = { smile: '\u{1F604}', heart: '\u2764' };

export function signs(text) {
  return text.replace(/:([a-z_]+):/g, (whole, name) => SIGNS[name] ?? whole);
}
