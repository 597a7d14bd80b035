export function flags(words) {
  const found = {};
  for (const word of words) {
    if (word.startsWith('--')) found[word.slice(2)] = true;
  }
  return found;
}
