// Which databases and transports a suite runs on. `npm test` runs a suite on SQLite through one
// transport; `npm run test:all` runs it on both databases and through every transport.
import { createHash } from 'node:crypto';
import { describe } from 'vitest';
import { type Transport, transportNames } from './transports.ts';

const dialects = ['sqlite', 'postgres'] as const;
export type Dialect = (typeof dialects)[number];

export type TransportName = Transport['name'];

/** Whether `npm run test:all` runs. */
export const isFull = process.env.LATCHKEY_TEST_MATRIX === 'full';

/** Runs a suite on both databases, for rules that depend on SQL, locks or transactions. */
export function describeDialects(name: string, body: (dialect: Dialect) => void): void {
  for (const dialect of dialects) describe(`${name} (${dialect})`, () => body(dialect));
}

/** Runs a suite on SQLite, and in the full matrix also on PostgreSQL. */
export function describeFeature(name: string, body: (dialect: Dialect) => void): void {
  if (isFull) describeDialects(name, body);
  else describe(`${name} (sqlite)`, () => body('sqlite'));
}

/** A transport that depends only on the name, so that the suites together use all of them. */
function transportFor(name: string): TransportName {
  const [byte = 0] = createHash('sha256').update(name).digest();
  return transportNames[byte % transportNames.length] ?? 'http';
}

type NamedSuite = { readonly name: string; readonly dialect: Dialect };

/**
 * Runs a suite through one transport. The full matrix uses all of them on SQLite, and one on
 * PostgreSQL, because the wire formats do not depend on the database. `isOwn` is true for one
 * transport of each database: rules that do not depend on the wire format need only that one.
 */
export function describeTransports(
  suite: NamedSuite,
  body: (transport: TransportName, isOwn: boolean) => void,
): void {
  const own = transportFor(`${suite.name} ${suite.dialect}`);
  const names = isFull && suite.dialect === 'sqlite' ? transportNames : [own];
  for (const name of names) describe(`through ${name}`, () => body(name, name === own));
}

/** Runs a suite through one transport, for rules that do not depend on the wire format. */
export function describeOneTransport(
  { name, dialect }: NamedSuite,
  body: (transport: TransportName) => void,
): void {
  const transport = transportFor(`${name} ${dialect}`);
  describe(`through ${transport}`, () => body(transport));
}
