export function signed(number) {
  return number > 0 ? `+${number}` : `-${Math.abs(number)}`;
}
