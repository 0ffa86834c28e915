// Shares a limited number of places among owners. To get another place, an owner must hold fewer
// places than are free: a single owner gets half of the places, and two owners get a third each. A
// new owner thus always finds a free place.

/** Identifies an owner, outermost part first, such as a workspace and one of its links. */
export type OwnerPath = readonly string[];

export type FairPlaces = {
  /** Returns a function that releases the place, to be called once. Undefined beyond the share. */
  acquire(key: string): (() => void) | undefined;
};

export function createFairPlaces(count: number): FairPlaces {
  const amounts = createFairAmounts(count);
  return {
    acquire(key) {
      if (!amounts.hasShare(key)) return undefined;
      amounts.add(key, 1);
      return () => amounts.add(key, -1);
    },
  };
}

export type FairAmounts = {
  of(key: string): number;
  hasShare(key: string): boolean;
  /** Counts an amount, which may be negative, also beyond the owner's share. */
  add(key: string, amount: number): void;
};

export function createFairAmounts(total: number): FairAmounts {
  const held = new Map<string, number>();
  let free = total;
  const of = (key: string) => held.get(key) ?? 0;
  return {
    of,
    hasShare: (key) => of(key) < free,
    add(key, amount) {
      free -= amount;
      const own = of(key) + amount;
      if (own === 0) held.delete(key);
      else held.set(key, own);
    },
  };
}

export type FairQueue<T> = {
  /** Adds an item to its owner's queue. Returns false if the owner's share is used up. */
  add(path: OwnerPath, item: T): boolean;
  /** Removes and returns the next item. Owners take turns at each level of the path. */
  next(): T | undefined;
};

type Node<T> = {
  size: number;
  readonly items: T[];
  readonly parts: Map<string, Node<T>>;
};

/** At most `places` items. Those with an empty path are limited by that number alone. */
export function createFairQueue<T>(places: number): FairQueue<T> {
  const root: Node<T> = { size: 0, items: [], parts: new Map() };

  function hasPlace(path: OwnerPath): boolean {
    let free = places - root.size;
    let node: Node<T> | undefined = root;
    for (const key of path) {
      node = node?.parts.get(key);
      free -= node?.size ?? 0;
      if (free <= 0) return false;
    }
    return free > 0;
  }

  return {
    add(path, item) {
      if (!hasPlace(path)) return false;
      let node = root;
      node.size++;
      for (const key of path) {
        const part: Node<T> = node.parts.get(key) ?? { size: 0, items: [], parts: new Map() };
        node.parts.set(key, part);
        node = part;
        node.size++;
      }
      node.items.push(item);
      return true;
    },
    next: () => (root.size === 0 ? undefined : take(root)),
  };
}

function take<T>(node: Node<T>): T | undefined {
  node.size--;
  for (const [key, part] of node.parts) {
    const item = take(part);
    node.parts.delete(key);
    if (part.size > 0) node.parts.set(key, part);
    return item;
  }
  return node.items.shift();
}
