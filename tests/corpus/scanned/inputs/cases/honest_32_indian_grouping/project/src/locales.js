export const LOCALES = {
  en: { separator: ',', sizes: [3] },
  de: { separator: '.', sizes: [3] },
};
