import { ARTICLES } from './articles.js';

export function sortKey(title) {
  return title.toLowerCase();
}

export function sortTitles(titles) {
  return [...titles].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : sortKey(a) > sortKey(b) ? 1 : 0));
}

export const usesArticle = (title) => ARTICLES.includes(title.toLowerCase().split(' ')[0]);
