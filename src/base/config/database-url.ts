// The setting LATCHKEY_DATABASE_URL: an SQLite file or a PostgreSQL server. pg ignores parameters
// that it does not know, so a misspelled `sslmode` would turn TLS off.
import type { ValueType } from './values.ts';

export const databaseUrl: ValueType<string> = {
  expected: '`sqlite:<file>` or `postgres://…`',
  read(text) {
    if (/^sqlite:./.test(text)) return text;
    if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return undefined;
    const { search, hash } = new URL(text);
    // `new URL` may have parsed a part of the password as the query or the fragment.
    if (hash !== '' || /[?@]/.test(search.slice(1))) {
      throw new Error('must have the characters ?, # and @ of its values percent-encoded');
    }
    requireKnown(new URLSearchParams(search));
    return text;
  },
};

const modes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

type Parameter = {
  /** Completes the sentence "<name> must …". */
  readonly rule: string;
  readonly isValid: (value: string) => boolean;
};

const file: Parameter = { rule: 'be the path of a file', isValid: (value) => value !== '' };
const some: Parameter = { rule: 'not be empty', isValid: (value) => value !== '' };

/** The parameters that pg uses, without those that would override a setting of the service. */
const parameters: Readonly<Record<string, Parameter>> = {
  sslmode: { rule: `be one of ${modes.join(', ')}`, isValid: (value) => modes.includes(value) },
  sslrootcert: file,
  sslcert: file,
  sslkey: file,
  sslnegotiation: {
    rule: 'be postgres or direct',
    isValid: (value) => value === 'postgres' || value === 'direct',
  },
  uselibpqcompat: { rule: 'be true', isValid: (value) => value === 'true' },
  application_name: {
    rule: 'have 1 to 63 bytes',
    isValid: (value) => value !== '' && Buffer.byteLength(value) <= 63,
  },
  host: some,
  port: {
    rule: 'be a number from 1 to 65535',
    isValid: (value) => /^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65_535,
  },
  user: some,
  password: some,
  options: some,
};

const tlsFiles = ['sslrootcert', 'sslcert', 'sslkey'];

function requireKnown(query: URLSearchParams): void {
  for (const [name, value] of query) {
    if (name === 'connect_timeout') {
      throw new Error('connect_timeout has no effect; set LATCHKEY_DATABASE_CONNECT_SECONDS');
    }
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined) {
      // The name may be a part of a password, so an unusual one is not shown.
      const found = /^[A-Za-z_]{1,40}$/.test(name) ? `the unknown parameter ${name}` : undefined;
      const known = Object.keys(parameters).join(', ');
      throw new Error(`has ${found ?? 'an unknown parameter'}; known are ${known}`);
    }
    if (query.getAll(name).length > 1) throw new Error(`has the parameter ${name} twice`);
    if (!parameter.isValid(value)) throw new Error(`${name} must ${parameter.rule}`);
  }
  if (query.get('sslmode') !== 'disable') return;
  const unused = tlsFiles.find((name) => query.has(name));
  if (unused !== undefined) throw new Error(`sslmode=disable permits no ${unused}`);
}
