export const POINTS = ['love', '15', '30', '40'];
