export function absolute(address) {
  return address.startsWith('http://');
}
