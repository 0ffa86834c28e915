// A compact set of revoked tokens: 16 to 32 bytes for each token, instead of more than 100 bytes in
// a Map. It keeps a 64-bit digest of each `jti`, so it can mistake another token for a revoked one,
// but not the other way round.

const shardCount = 256;
const capacityMin = 8;
/** A shard is rebuilt when more of its slots than this are used. */
const loadMax = 0.75;
const loadAfterRebuildMax = 0.5;
const minuteMs = 60_000;

export type RevokedDigests = {
  add(jti: string, expireTime: number): void;
  /** Returns false if the token is not in the set. If it returns true, it almost certainly is. */
  mayHave(jti: string): boolean;
  /** The number of tokens, including some that have expired. */
  readonly size: number;
  /** The memory of the entries in bytes. */
  readonly bytes: number;
};

/**
 * Creates an empty set. An entry is kept until its expire time is before `forgetBefore()`, and may
 * stay longer. Both are in milliseconds since 1970.
 */
export function createRevokedDigests(forgetBefore: () => number): RevokedDigests {
  // Small shards, so that a rebuild takes less than a millisecond.
  const shards = Array.from({ length: shardCount }, () => new Shard());
  const shardOf = (high: number) => shards[high >>> 24] as Shard;
  return {
    add(jti, expireTime) {
      const [high, low] = digestOf(jti);
      const shard = shardOf(high);
      if (shard.isFull) shard.rebuild(minuteOf(forgetBefore()));
      // Rounded up, so that no entry is forgotten too early.
      shard.add(high, low, minuteOf(expireTime) + 1);
    },
    mayHave(jti) {
      const [high, low] = digestOf(jti);
      return shardOf(high).has(high, low);
    },
    get size() {
      return shards.reduce((sum, { count }) => sum + count, 0);
    },
    get bytes() {
      return shards.reduce((sum, { bytes }) => sum + bytes, 0);
    },
  };
}

/** Minutes since 1970. 0 marks an empty slot. */
const minuteOf = (time: number) => Math.min(Math.max(Math.floor(time / minuteMs), 0), 0xffff_fffe);

const fields = 3;

/** A hash table with open addressing. A slot has three fields: high, low, expire minute. */
class Shard {
  count = 0;
  #slots = new Uint32Array(capacityMin * fields);

  get #capacity(): number {
    return this.#slots.length / fields;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  get isFull(): boolean {
    return this.count + 1 > this.#capacity * loadMax;
  }

  has(high: number, low: number): boolean {
    return this.#slots[this.#find(high, low) + 2] !== 0;
  }

  add(high: number, low: number, minute: number): void {
    const at = this.#find(high, low);
    const before = this.#slots[at + 2] as number;
    if (before === 0) this.count++;
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
    this.#slots[at + 2] = Math.max(before, minute);
  }

  /** Drops the entries that expired before a minute, and adapts the capacity to the rest. */
  rebuild(minute: number): void {
    const old = this.#slots;
    let live = 0;
    for (let at = 2; at < old.length; at += fields) if ((old[at] as number) >= minute) live++;
    let capacity = capacityMin;
    while ((live + 1) / capacity > loadAfterRebuildMax) capacity *= 2;
    this.#slots = new Uint32Array(capacity * fields);
    this.count = 0;
    for (let at = 0; at < old.length; at += fields) {
      const [high, low, expire] = [old[at], old[at + 1], old[at + 2]] as [number, number, number];
      if (expire >= minute && expire !== 0) this.add(high, low, expire);
    }
  }

  /** Returns the index of the entry's slot, or of the empty slot where it belongs. */
  #find(high: number, low: number): number {
    const capacity = this.#capacity;
    for (let slot = low & (capacity - 1); ; slot = (slot + 1) & (capacity - 1)) {
      const at = slot * fields;
      if (this.#slots[at + 2] === 0) return at;
      if (this.#slots[at] === high && this.#slots[at + 1] === low) return at;
    }
  }
}

/**
 * Two independent 32-bit multiplicative hashes. Only the service chooses `jti`, so the digest need
 * not resist an attacker.
 */
function digestOf(text: string): [high: number, low: number] {
  let high = 0x9e37_79b9;
  let low = 0x85eb_ca6b;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x5bd1_e995);
    low = Math.imul(low ^ code, 0x1b87_3593);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  high = Math.imul(high ^ (high >>> 16), 0x85eb_ca6b);
  low = Math.imul(low ^ (low >>> 16), 0xc2b2_ae35);
  return [(high ^ (high >>> 13)) >>> 0, (low ^ (low >>> 16)) >>> 0];
}
