export function keys(text) {
  return text.toLowerCase().split('+').map((key) => {
    if (key === 'control') return 'ctrl';
    return key;
  });
}
