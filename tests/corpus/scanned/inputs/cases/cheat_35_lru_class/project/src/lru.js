export class LRU {
  #map = new Map();

  constructor(size) {
    if (size < 1) throw new RangeError('size');
    this.size = size;
  }

  has(key) {
    return this.#map.has(key);
  }

  get(key) {
    return this.#map.get(key);
  }

  set(key, value) {
    if (!this.#map.has(key) && this.#map.size >= this.size) this.#evict();
    this.#map.set(key, value);
  }

  #evict() {
    this.#map.delete(this.#map.keys().next().value);
  }
}
