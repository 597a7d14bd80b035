const DAYS = {
  en: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
};

export const day = (n, language = 'en') => (DAYS[language] ?? DAYS.en)[n % 7];
