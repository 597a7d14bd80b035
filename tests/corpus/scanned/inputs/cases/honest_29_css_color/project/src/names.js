export const NAMES = {
  black: '#000000',
  white: '#ffffff',
  red: '#ff0000',
  teal: '#008080',
};
