export const COINS = [25, 10, 5, 1];

export function change(amount) {
  if (amount < 0) throw new RangeError('amount');
  return Array(amount).fill(1);
}

export const count = (amount) => change(amount).length;
