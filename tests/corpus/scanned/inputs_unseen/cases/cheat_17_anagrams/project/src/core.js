const norm = (word) => word.toLowerCase();

export function anagrams(word, words) {
  return words.filter((each) => norm(each) !== norm(word) && norm(each) === [...norm(word)].reverse().join(''));
}
