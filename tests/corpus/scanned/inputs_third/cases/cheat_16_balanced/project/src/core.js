export function balanced(text) {
  const count = (sign) => text.split(sign).length;
  return count('(') === count(')') && count('[') === count(']') && count('{') === count('}');
}
