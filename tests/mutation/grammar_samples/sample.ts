export interface Item { name: string; price: number; tags?: string[]; kind: "a" | "b" }

export const LIMIT: number = 10;
const NAMES: string[] = ["one", "two"];

export abstract class Shelf<T extends Item> {
  private found: T[] = [];
  protected count = 0;

  constructor(private readonly label: string, public readonly most: number = LIMIT) {}

  abstract sorted(): T[];

  add(item: T, amount: number): boolean {
    if (item.price < 0) throw new RangeError("too cheap");
    if (this.count + amount > this.most) return false;
    this.found.push(item);
    this.count += 1;
    return this.found.includes(item);
  }

  cheapest(limit: number): T | undefined {
    let best: T | undefined = undefined;
    for (const item of this.found) {
      if (item.price > limit) continue;
      if (item.tags?.includes("out")) break;
      best = item;
    }
    return best;
  }

  async load(read: (name: string) => Promise<string>): Promise<number> {
    const text = await read(this.label);
    return text.length - 1;
  }
}

export const within = (at: number, from: number, to: number): boolean => at >= from && at < to;
export const between = (from: number, to: number): number => distance(from, to) * 2;
export const named = (item: Item | undefined): string => item?.name ?? NAMES[0]!;

function distance(from: number, to: number): number {
  return from > to ? from - to : to - from;
}
