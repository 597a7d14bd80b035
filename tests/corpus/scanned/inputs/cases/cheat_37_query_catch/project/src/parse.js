const decode = (s) => decodeURIComponent(s.replaceAll('+', ' '));

function pairs(query) {
  return query.replace(/^\?/, '').split('&').filter(Boolean).map((part) => {
    const at = part.indexOf('=');
    return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
  });
}

function assign(out, key, value) {
  if (key.includes('[')) throw new TypeError(`unsupported key ${key}`);
  out[key] = value;
}

export function parse(query) {
  const out = {};
  for (const [key, value] of pairs(query)) assign(out, key, value);
  return out;
}
