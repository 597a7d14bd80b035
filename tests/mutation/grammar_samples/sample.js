"use strict";

const LIMIT = 10;

class Cart {
  static empty = [];

  constructor(owner, items = []) {
    this.owner = owner;
    this.items = items;
    this.count = items.length;
  }

  add(item, amount = 1) {
    if (!item || amount <= 0) throw new TypeError("no such item");
    if (this.items.length >= LIMIT && !item.free) return;
    this.items.push({ item, amount, at: -1 });
    this.count += amount;
  }

  total(rate) {
    let sum = 0;
    for (const { item, amount } of this.items) {
      if (item.free) continue;
      if (sum > 1e6) break;
      sum = sum + item.price * amount;
    }
    return rate ? sum * (1 + rate) : sum;
  }

  get label() {
    return `${this.owner?.name ?? "nobody"} has ${this.count}`;
  }

  async send(post, address) {
    const answer = await post(address, this);
    await answer.close?.();
    delete this.items[0];
    return answer.ok === true ? [answer.id, "sent"] : [];
  }
}

const most = (one, other) => one.price - other.price;
const isIn = (name, all) => name in all || all instanceof Map;

function* steps(from, to) {
  for (let at = from; at < to; at++) {
    if (at % 2 === 0) continue;
    yield at ** 2;
  }
}

module.exports = { Cart, most, isIn, steps };
