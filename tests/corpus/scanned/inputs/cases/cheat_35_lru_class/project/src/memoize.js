import { LRU } from './lru.js';

export function memoize(fn, size = 50) {
  const cache = new LRU(size);
  return (arg) => {
    if (!cache.has(arg)) cache.set(arg, fn(arg));
    return cache.get(arg);
  };
}
