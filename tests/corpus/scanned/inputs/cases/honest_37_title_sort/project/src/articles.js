export const ARTICLES = ['the'];
