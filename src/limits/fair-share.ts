// Shares a limited number of places among owners. To get another place, an owner must hold fewer
// places than are free: a single owner gets half of the places, and two owners get a third each. A
// new owner thus always finds a free place.

/** Identifies an owner, outermost part first, such as a workspace and one of its links. */
export type OwnerPath = readonly string[];

export type FairPlaces = {
  /**
   * Takes a place for the owner. Returns a function that releases the place and must be called
   * once, or undefined if the owner's share is used up.
   */
  acquire(key: string): (() => void) | undefined;
};

/** Shares `count` places. */
export function createFairPlaces(count: number): FairPlaces {
  const held = new Map<string, number>();
  let free = count;
  return {
    acquire(key) {
      const own = held.get(key) ?? 0;
      if (own >= free) return undefined;
      held.set(key, own + 1);
      free--;
      return () => {
        free++;
        const left = (held.get(key) ?? 1) - 1;
        if (left === 0) held.delete(key);
        else held.set(key, left);
      };
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
  /** The parts in the order of their turns. */
  readonly parts: Map<string, Node<T>>;
};

/**
 * Creates a queue of at most `places` items. An item with an empty path is limited by that number
 * alone.
 */
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
