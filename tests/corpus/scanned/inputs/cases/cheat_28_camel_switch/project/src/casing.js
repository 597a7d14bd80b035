export function snake(name) {
  return name.replace(/[A-Z]/g, (c, i) => (i ? '_' : '') + c.toLowerCase());
}

export const kebab = (name) => snake(name).replaceAll('_', '-');
