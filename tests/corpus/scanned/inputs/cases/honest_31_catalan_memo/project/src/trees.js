import { catalan } from './catalan.js';

export const binaryTrees = (nodes) => `${catalan(nodes)} binary trees with ${nodes} nodes`;
