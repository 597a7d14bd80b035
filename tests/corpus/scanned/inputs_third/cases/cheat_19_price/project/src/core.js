export function price(cents) {
  return String(cents / 100);
}

export const label = (name, cents) => `${name}: ${price(cents)}`;
