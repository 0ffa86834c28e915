// The keys that sign receipts of agreements: a separate set, because a verifier of tokens must
// never accept a receipt. A receipt does not expire, so the keys are published forever.
import type { HttpRoute } from '../../api/routes/route.ts';
import type { RouteDoc } from '../../api/routes/route-doc.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { ReceiptKeyRow } from '../../storage/schema/gate-rows.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { nodeEd25519 } from './ed25519.ts';
import { sealedReceiptKeys } from './sealed-values.ts';
import { ed25519Jwk, generateEd25519Key, openEd25519Key } from './signing-key.ts';
import { findReceiptKeys, insertReceiptKey, lockSigningKeys } from './store.ts';

export type ReceiptKeys = {
  /** Signs claims with the newest key. Returns a compact JWS. */
  sign(claims: object): Promise<string>;
  readonly route: HttpRoute;
};

export type ReceiptKeyOptions = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly auditLog: AuditLog;
  readonly now: Clock;
};

export function createReceiptKeys(options: ReceiptKeyOptions): ReceiptKeys {
  const { db, masterKey, auditLog, now } = options;

  /** Creates the first key. Another process may create it at the same time. */
  async function createKey(): Promise<ReceiptKeyRow> {
    const key = await generateEd25519Key(masterKey, sealedReceiptKeys);
    const row = { ...key, create_time: now() };
    let existing: ReceiptKeyRow | undefined;
    const create = auditLog.changeBySystem(
      'SigningKeyService.CreateReceiptKey',
      { target: row.kid },
      async (trx) => {
        await lockSigningKeys(trx);
        [existing] = await findReceiptKeys(trx);
        if (existing !== undefined) throw new Error('another process has created the key');
        await insertReceiptKey(trx, row);
        return row;
      },
    );
    return create.catch((error: unknown) => {
      if (existing === undefined) throw error;
      return existing;
    });
  }

  return {
    async sign(claims) {
      const [newest = await createKey()] = await findReceiptKeys(db);
      const header = { alg: 'EdDSA', typ: 'agreement-receipt+jwt', kid: newest.kid };
      const content = [header, claims].map(encode).join('.');
      const key = openEd25519Key(newest, masterKey, nodeEd25519, sealedReceiptKeys);
      const signature = await key.sign(Buffer.from(content));
      return `${content}.${signature.toString('base64url')}`;
    },

    route: receiptKeysRoute(db),
  };
}

export function receiptKeysRoute(db: Database): HttpRoute {
  return {
    method: 'GET',
    path: '/.well-known/receipts.json',
    name: 'receipt keys',
    doc,
    async handle() {
      const rows = await findReceiptKeys(db);
      const keys = rows.map(({ kid, public_x }) => ed25519Jwk(public_x, kid));
      return { status: 200, headers, body: JSON.stringify({ keys }) };
    },
  };
}

const headers = {
  'content-type': 'application/jwk-set+json',
  'cache-control': 'public, max-age=300, must-revalidate',
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
};

const doc: RouteDoc = {
  id: 'receiptKeys',
  tag: 'Shared links',
  summary: 'Get the keys of receipts',
  description:
    'The public keys that verify the receipts of agreements, as a JSON Web Key Set (RFC 7517). ' +
    'They are not the keys of tokens. A key stays in the set forever.',
  responses: {
    200: {
      description: 'The key set.',
      types: ['application/jwk-set+json'],
      schema: {
        title: 'ReceiptKeys',
        type: 'object',
        properties: {
          keys: {
            type: 'array',
            items: { $ref: '#/components/schemas/JsonWebKey' },
            description: 'All keys that have signed receipts.',
          },
        },
        required: ['keys'],
      },
    },
  },
  errors: ['invalid_argument'],
};

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
