// Reads the keys of trusted issuers and stores them, so that every process has them. The row of an
// issuer limits how often the whole deployment asks it.
import type { Clock } from '../../base/clock.ts';
import type { ReadJson } from '../../base/net/egress.ts';
import { EgressError } from '../../base/net/egress-fetch.ts';
import { transact } from '../../storage/database.ts';
import type { Database, TrustedIssuerRow } from '../../storage/schema/schema.ts';
import type { Lease } from '../../storage/upkeep/leases.ts';
import { startPeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import { claimAttempt, findAllIssuers, lockIssuer, updateIssuer } from './store.ts';

export type KeyReader = {
  /**
   * Reads the keys of an issuer, unless an attempt began within the last 30 seconds. Resolves when
   * the attempt of this process has ended. Never throws.
   */
  refresh(issuerId: string): Promise<void>;
  /** Begins to read the keys of an issuer after its change. */
  readSoon(issuerId: string): void;
  stop(): Promise<void>;
};

export type KeyReaderOptions = {
  readonly db: Database;
  readonly readJson: ReadJson;
  /** Returns the accepted keys of a JWK set in the stored form; undefined if it is not one. */
  readonly storedKeys: (jwks: unknown) => string | undefined;
  readonly lease: Lease;
  readonly warn: (facts: object, message: string) => void;
  readonly now: Clock;
};

const refreshMs = 600_000;
const retryMs = 60_000;
const cooldownMs = 30_000;
/** How long this process does not ask the database again after another process was faster. */
const lostMs = 1_000;
const roundMs = 30_000;

export function startKeyReader(options: KeyReaderOptions): KeyReader {
  const { db, warn, now } = options;
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const waitUntil = new Map<string, number>();
  const warnOf = (err: unknown) => warn({ err }, 'reading the keys of trusted issuers failed');

  function refresh(id: string): Promise<void> {
    const current = running.get(id);
    if (current !== undefined) return current;
    const time = now();
    const wait = (waitUntil.get(id) ?? 0) - time;
    // A clock that was set back must not stop the reads.
    if (stopping.signal.aborted || (wait > 0 && wait <= cooldownMs)) return Promise.resolve();
    const attempt = transact(db, (trx) => claimAttempt(trx, id, time, time - cooldownMs))
      .then(async (row) => {
        waitUntil.set(id, time + (row === undefined ? lostMs : cooldownMs));
        if (row !== undefined) await readKeys(row);
      })
      .catch(warnOf)
      .finally(() => running.delete(id));
    running.set(id, attempt);
    return attempt;
  }

  async function readKeys(row: TrustedIssuerRow): Promise<void> {
    const found = await fetchKeys(row, options, stopping.signal).catch((error: unknown) => {
      if (error instanceof EgressError) return error;
      throw error;
    });
    if (stopping.signal.aborted) return;
    await transact(db, async (trx) => {
      const current = await lockIssuer(trx, row.id);
      // The keys now come from elsewhere.
      if (current?.jwks !== null || current.jwks_uri !== row.jwks_uri) return;
      await updateIssuer(
        trx,
        row.id,
        found instanceof EgressError
          ? { attempt_error: found.message }
          : { read_jwks: found, read_time: now(), attempt_error: '' },
      );
    });
    if (!(found instanceof EgressError) || found.message === row.attempt_error) return;
    const facts = { issuer_id: row.id, reason: found.message };
    warn(facts, 'cannot read the keys of a trusted issuer');
  }

  const task = startPeriodicTask({
    pauseMs: roundMs,
    lease: options.lease,
    onError: warnOf,
    async round(signal) {
      const due = (await findAllIssuers(db)).filter((row) => isDue(row, now()));
      // Few at a time: each holds a connection.
      for (let at = 0; at < due.length && !signal.aborted; at += 10) {
        await Promise.all(due.slice(at, at + 10).map(({ id }) => refresh(id)));
      }
    },
  });
  return {
    refresh,
    readSoon(id) {
      waitUntil.delete(id);
      void refresh(id);
    },
    async stop() {
      stopping.abort();
      await Promise.all([task.stop(), ...running.values()]);
    },
  };
}

function isDue(row: TrustedIssuerRow, time: number): boolean {
  if (row.enabled === 0 || row.jwks !== null) return false;
  const pauseMs = row.attempt_error === '' && row.read_time !== null ? refreshMs : retryMs;
  const past = time - (row.attempt_time ?? 0);
  return past >= pauseMs || past < 0;
}

/** Throws an EgressError. */
async function fetchKeys(
  { issuer, jwks_uri }: TrustedIssuerRow,
  { readJson, storedKeys }: Pick<KeyReaderOptions, 'readJson' | 'storedKeys'>,
  signal: AbortSignal,
): Promise<string> {
  const url = jwks_uri ?? (await discover(issuer, readJson, signal));
  const stored = storedKeys(await readJson(url, signal));
  if (stored !== undefined) return stored;
  throw new EgressError('The response is not a JWK set with at most 50 keys.');
}

/** OpenID Connect Discovery 1.0 §4. */
async function discover(issuer: string, readJson: ReadJson, signal: AbortSignal): Promise<string> {
  const document = await readJson(discoveryUrl(issuer), signal);
  const { issuer: named, jwks_uri: url } = Object(document) as Record<string, unknown>;
  if (named !== issuer) throw new EgressError('The discovery document names another issuer.');
  if (typeof url === 'string') return url;
  throw new EgressError('The discovery document has no jwks_uri.');
}

const discoveryUrl = (issuer: string) =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
