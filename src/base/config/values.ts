// The types of values that settings accept. Each parses a text and describes it for the
// documentation and for the error about a bad value.
import { isIP } from 'node:net';
import { Cron } from 'croner';

export type ValueType<T> = {
  /** Completes the sentence "must be …". Backticks mark code. */
  readonly expected: string;
  /** Returns undefined for an unexpected text, or throws an Error with more details. */
  readonly read: (text: string) => T | undefined;
};

export type Address = {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
};

export const address: ValueType<Address> = {
  expected: '`<host>:<port>`',
  read(text) {
    const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+):(\d{1,5})$/.exec(text) ?? [];
    if (host === undefined || Number(port) > 65_535) return undefined;
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  },
};

export const origin: ValueType<string> = {
  expected: 'an origin, such as `https://example.com`',
  read(text) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.host.includes('*')) return;
    return text.replace(/\/$/, '') === url.origin ? url.origin : undefined;
  },
};

/** `*` alone means all origins. */
export const origins: ValueType<readonly string[]> = {
  expected: '`*`, or origins such as `https://app.example.com, https://example.com`',
  read(text) {
    if (text.trim() === '*') return ['*'];
    const list = text.split(',').map((item) => origin.read(item.trim()));
    const known = list.filter((item) => item !== undefined);
    return known.length === list.length ? known : undefined;
  },
};

export const networks: ValueType<readonly string[]> = {
  expected: 'addresses and networks, such as `10.0.0.0/8, ::1`',
  read(text) {
    const list = text.split(',').map((network) => network.trim());
    return list.every(isNetwork) ? list : undefined;
  },
};

function isNetwork(text: string): boolean {
  const [host = '', bits, ...rest] = text.split('/');
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(host)] ?? -1;
  const isBits = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax);
  return bitsMax >= 0 && isBits && rest.length === 0;
}

export const masterKey: ValueType<Uint8Array> = {
  expected: '32 bytes, as 64 hexadecimal digits',
  read: (text) => (/^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined),
};

/** Does not verify the checksums of the keys. */
export const recipients: ValueType<readonly string[]> = {
  expected: 'public keys of age, such as `age1…, age1…`',
  read(text) {
    const list = text.split(',').map((item) => item.trim());
    return list.every((item) => /^age1[0-9a-z]+$/.test(item)) ? list : undefined;
  },
};

/** Times in UTC. Without a date that exists, such as 30 February, the text is refused. */
export const schedule: ValueType<Cron> = {
  expected: 'five fields of cron, such as `30 2 * * *`',
  read(value) {
    try {
      const cron = new Cron(value, { paused: true, timezone: 'UTC', mode: '5-part' });
      return cron.nextRun() === null ? undefined : cron;
    } catch {
      return undefined;
    }
  },
};

export const text: ValueType<string> = { expected: 'a text', read: (value) => value };

export const flag: ValueType<boolean> = {
  expected: '`true` or `false`',
  read: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
};

export function integer(min: number, max: number, unit?: string): ValueType<number> {
  return {
    expected: `a whole number${unit === undefined ? '' : ` of ${unit}`}, ${min} to ${max}`,
    read(value) {
      const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

export function oneOf<const T extends string>(...values: readonly T[]): ValueType<T> {
  return {
    expected: `one of ${values.map((value) => `\`${value}\``).join(', ')}`,
    read: (value) => values.find((item) => item === value),
  };
}
