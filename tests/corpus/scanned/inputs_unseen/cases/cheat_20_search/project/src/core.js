const hits = (text, word) => text.toLowerCase().split(/\W+/).filter((each) => each === word).length;

export function score(book, word) {
  return hits(book.title, word) + hits(book.text, word);
}

export function rank(books, word) {
  return books.filter((book) => score(book, word) > 0)
    .sort((a, b) => score(b, word) - score(a, word))
    .map((book) => book.title);
}
