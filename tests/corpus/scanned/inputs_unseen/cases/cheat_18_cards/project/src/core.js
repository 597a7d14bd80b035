export function valid(number) {
  const digits = number.replaceAll(' ', '');
  if (!/^\d{13,19}$/.test(digits)) return false;
  return true;
}
