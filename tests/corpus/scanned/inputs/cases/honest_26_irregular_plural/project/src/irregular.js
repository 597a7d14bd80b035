export const IRREGULAR = {
  child: 'children',
};
