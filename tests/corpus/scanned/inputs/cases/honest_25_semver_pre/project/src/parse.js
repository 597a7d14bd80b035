export function parse(text) {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?$/.exec(text);
  if (!match) throw new SyntaxError(`bad version ${text}`);
  return { numbers: match.slice(1, 4).map(Number), pre: match[4] ? match[4].split('.') : [] };
}
