import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import {
  type CredentialKind,
  digestMatches,
  digestOf,
  generateCredential,
  parseCredentialId,
} from '../../src/base/crypto/credential-format.ts';
import { createCredentialDirectory } from '../../src/credentials/directory.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { watchInvalidations } from '../../src/storage/invalidation.ts';
import { describeApp } from '../support/app-suite.ts';
import { freshPostgresDatabase } from '../support/databases.ts';
import { describeFeature } from '../support/matrix.ts';
import {
  type Added,
  addClient,
  addCustomer,
  addWorkspace,
  changeAsOtherProcess,
  revoke,
} from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { TransportAnswer } from '../support/transports.ts';

const kinds: CredentialKind[] = ['cs', 'ck', 'wk'];
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A credential of arbitrary random bytes. */
const anyCredential = fc
  .tuple(
    fc.constantFrom(...kinds),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
  )
  .map(([kind, id, secret]) => ({
    kind,
    ...generateCredential(kind, (size) => (size === 16 ? id : secret)),
  }));

describe('a generated credential', () => {
  it('has a kind, a lookup id, 256 random bits and a checksum', () => {
    fc.assert(
      fc.property(anyCredential, ({ kind, id, text }) => {
        expect(text).toMatch(/^lk_(cs|ck|wk)_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
        expect(text.slice(3, 5)).toBe(kind);
        expect(id).toBe(`${kind === 'cs' ? 'sec' : 'key'}_${text.slice(6, 28)}`);
      }),
    );
  });

  it('is accepted only as its kind', () => {
    fc.assert(
      fc.property(anyCredential, ({ kind, id, text }) => {
        for (const other of kinds) {
          expect(parseCredentialId(other, text)).toBe(other === kind ? id : undefined);
        }
      }),
    );
  });

  it('differs for different random bytes', () => {
    const texts = Array.from({ length: 100 }, () => generateCredential('cs', randomBytes).text);
    expect(new Set(texts.map((text) => text.slice(6, 28))).size).toBe(100);
    expect(new Set(texts.map((text) => text.slice(29, 72))).size).toBe(100);
  });

  it('detects any single mistyped character without a database', () => {
    const position = fc.nat(77);
    const character = fc.oneof(fc.constantFrom(...alphabet), fc.string({ maxLength: 1 }));
    fc.assert(
      fc.property(anyCredential, position, character, ({ kind, text }, at, typed) => {
        fc.pre(text.charAt(at) !== typed);
        const mistyped = text.slice(0, at) + typed + text.slice(at + 1);
        expect(parseCredentialId(kind, mistyped)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it('detects two swapped characters', () => {
    fc.assert(
      fc.property(anyCredential, fc.nat(76), ({ kind, text }, at) => {
        const [first = '', second = ''] = text.slice(at, at + 2);
        fc.pre(first !== second);
        const swapped = text.slice(0, at) + second + first + text.slice(at + 2);
        expect(parseCredentialId(kind, swapped)).toBeUndefined();
      }),
    );
  });

  it('ends with the CRC-32 of ISO 3309, in base62', () => {
    const zeros = generateCredential('cs', (size) => new Uint8Array(size));

    expect(zeros.text.slice(0, -6)).toBe(`lk_cs_${'0'.repeat(22)}_${'0'.repeat(43)}`);
    expect(zeros.text.slice(-6)).toBe(base62(crc32(zeros.text.slice(0, -6))).padStart(6, '0'));
  });

  itHoldsFor(['', 'lk_', 'lk_cs_', ' ', 'Bearer x'], 5)('is not another text', (text) => {
    for (const kind of kinds) expect(parseCredentialId(kind, text)).toBeUndefined();
  });

  it('is compared by its SHA-256', () => {
    const { text, digest } = generateCredential('cs', randomBytes);

    expect(digest).toBe(createHash('sha256').update(text).digest('hex'));
    expect(digestOf(text)).toBe(digest);
    expect(digestMatches(text, digest)).toBe(true);
    expect(digestMatches(`${text}0`, digest)).toBe(false);
  });
});

describeApp('a change by another process', (suite) => {
  const codeOf = (answer: TransportAnswer<unknown>) => (answer.ok ? 'ok' : answer.error.code);
  const { issueToken, exchangeApiKey } = IssuanceService.method;
  const issue = async ({ ownerId, text }: Added, scope = 'accounts:read') => {
    const request = { clientId: ownerId, clientSecret: text, scope };
    return codeOf(await suite.transport('grpc').call(issueToken, request));
  };
  const exchange = async ({ text }: Added) =>
    codeOf(await suite.transport('grpc').call(exchangeApiKey, { apiKey: text }));
  // Within a second, as a rule: a busy machine may take longer.
  const soon = { timeout: 10_000, interval: 20 };

  it('revokes a secret soon', async () => {
    const client = await addClient(suite.app.inside.db, 'accounts:read');
    expect(await issue(client)).toBe('ok');

    await changeAsOtherProcess(suite.app.inside.db, (trx) => revoke(trx, client.credentialId));

    await expect.poll(() => issue(client), soon).toBe('identity.credential_invalid');
  });

  it('disables a client soon, and enables it again', async () => {
    const client = await addClient(suite.app.inside.db, 'accounts:read');
    expect(await issue(client)).toBe('ok');
    const setDisabled = (disable_time: number | null) =>
      changeAsOtherProcess(suite.app.inside.db, (trx) =>
        trx.updateTable('clients').set({ disable_time }).where('id', '=', client.ownerId).execute(),
      );

    await setDisabled(Date.now());
    await expect.poll(() => issue(client), soon).toBe('identity.credential_invalid');
    await setDisabled(null);
    await expect.poll(() => issue(client), soon).toBe('ok');
  });

  it("narrows a client's scopes soon", async () => {
    const client = await addClient(suite.app.inside.db, 'accounts:read accounts:write');
    expect(await issue(client, 'accounts:write')).toBe('ok');

    await changeAsOtherProcess(suite.app.inside.db, (trx) =>
      trx
        .updateTable('clients')
        .set({ scopes: 'accounts:read' })
        .where('id', '=', client.ownerId)
        .execute(),
    );

    const narrowed = 'identity.scope_not_granted';
    await expect.poll(() => issue(client, 'accounts:write'), soon).toBe(narrowed);
    expect(await issue(client, 'accounts:read')).toBe('ok');
  });

  it("revokes a customer's key soon", async () => {
    const key = await addCustomer(suite.app.inside.db, 'accounts:read');
    expect(await exchange(key)).toBe('ok');

    await changeAsOtherProcess(suite.app.inside.db, (trx) => revoke(trx, key.credentialId));

    await expect.poll(() => exchange(key), soon).toBe('identity.credential_invalid');
  });

  it("revokes a workspace's key soon", async () => {
    const key = await addWorkspace(suite.app.inside.db, 'links:read');
    const list = async () => {
      const authorization = `Bearer ${key.text}`;
      const { listLinks } = LinkService.method;
      return codeOf(await suite.transport('grpc').call(listLinks, {}, { authorization }));
    };
    expect(await list()).toBe('ok');

    await changeAsOtherProcess(suite.app.inside.db, (trx) => revoke(trx, key.credentialId));

    await expect.poll(list, soon).toBe('unauthenticated');
  });

  it('is stored only as a digest', async () => {
    const added = [
      await addClient(suite.app.inside.db, 'accounts:read'),
      await addCustomer(suite.app.inside.db, 'accounts:read'),
      await addWorkspace(suite.app.inside.db, 'links:read'),
    ];
    const rows = await suite.app.inside.db.selectFrom('credentials').selectAll().execute();
    const stored = JSON.stringify(rows);

    for (const { text, credentialId } of added) {
      expect(stored).toContain(credentialId);
      expect(stored).toContain(digestOf(text));
      expect(stored).not.toContain(text.slice(-49));
      expect(stored).not.toContain(text.slice(-49, -6));
    }
  });
});

describeFeature('a credential in the cache', (dialect) => {
  it('is trusted for only 5 seconds while the database is unavailable', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const url =
      dialect === 'sqlite' ? `sqlite:${folder}/latchkey.db` : await freshPostgresDatabase();
    const db = await openDatabase(url);
    // Before the invalidations are watched, because a change would evict the credential.
    const { text, ownerId } = await addClient(db, 'accounts:read');
    let monotonic = 1_000_000;
    const invalidations = await watchInvalidations(db, { monotonicNow: () => monotonic });
    onTestFinished(() => invalidations.stop());
    const directory = createCredentialDirectory({
      db,
      invalidations,
      recordUse: () => {},
      now: Date.now,
    });
    expect(await directory.authenticate('cs', text)).toMatchObject({ ownerId });

    await db.destroy();

    monotonic += 5_000;
    expect(await directory.authenticate('cs', text)).toMatchObject({ ownerId });
    monotonic += 1;
    await expect(directory.authenticate('cs', text)).rejects.toMatchObject({
      code: 'unavailable',
      extra: { retryAfterSeconds: 1 },
    });
  });
});

/** Bit by bit, as in the standard. */
function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
}

function base62(value: number): string {
  const digit = alphabet.charAt(value % 62);
  return value < 62 ? digit : base62(Math.floor(value / 62)) + digit;
}
