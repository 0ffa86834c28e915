// The first start on an empty database: creates a signing key and, depending on LATCHKEY_BOOTSTRAP,
// a staff user and demo data. Writes the secrets once, to a file that only its owner can read.

import { rm } from 'node:fs/promises';
import { managementScopes } from '../../api/access/scopes.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { generateCredential } from '../../base/crypto/credential-format.ts';
import { encodeBase62, newId, type Random } from '../../base/crypto/ids.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { readFileIfAny, replaceFile } from '../../base/files/durable-files.ts';
import { createPasswords } from '../../credentials/passwords.ts';
import { insertCredential } from '../../credentials/store.ts';
import { insertClient } from '../../identity/clients/store.ts';
import { insertAccounts, insertCustomer } from '../../identity/customers/store.ts';
import { generateSigningKey } from '../../identity/keys/signing-key.ts';
import { insertNewKey } from '../../identity/keys/state-changes.ts';
import { countSigningKeys, findSigningKey } from '../../identity/keys/store.ts';
import { insertUser } from '../../identity/users/store.ts';
import { hasPendingBlobs } from '../../sharing/blobs/store.ts';
import { insertWorkspace } from '../../sharing/workspaces/store.ts';
import { transact, UnconfirmedCommit } from '../../storage/database.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import type { FirstStart } from './data-folder.ts';
import { type SampleOptions, type StagedSample, stageSample } from './sample.ts';

export type BootstrapOptions = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly kind: Config['bootstrap'];
  readonly file: string;
  readonly sample: Pick<SampleOptions, 'file' | 'blobs'> | undefined;
  readonly random: Random;
  readonly now: Clock;
  readonly requirePermitted: FirstStart['requirePermitted'];
};

type Settings = Readonly<Record<string, string>>;

type Part = {
  readonly settings: Settings;
  readonly insert: (trx: Executor) => Promise<unknown>;
};

const demoScopes = ['accounts', 'payments', 'tokens'].flatMap((area) => [
  `${area}:read`,
  `${area}:write`,
]);
const customerScopes = 'accounts:read payments:read payments:write';
const keyScopes = 'documents:read documents:write links:read links:write';

export async function bootstrap(options: BootstrapOptions): Promise<boolean> {
  const { db, masterKey, kind, file, now } = options;
  // Read first, because another first start deletes its pending row when it fills the database.
  const hasNotedBlobs = await hasPendingBlobs(db);
  if ((await countSigningKeys(db)) > 0) return false;
  options.requirePermitted(true, hasNotedBlobs);
  const parts: Part[] = [];
  if (kind !== 'none') parts.push(await staff(options));
  const sample = kind === 'demo' ? await sampleOf(options) : undefined;
  if (kind === 'demo') parts.push(client(options), customer(options), workspace(options, sample));

  const text = write(Object.assign({}, ...parts.map((part) => part.settings)));
  const key = await generateSigningKey(masterKey);
  const insert = (settleSample?: (trx: Executor) => Promise<void>) =>
    transact(db, async (trx) => {
      await settleSample?.(trx);
      // Another process that fills the database waits here, and then fails.
      await insertNewKey(trx, key, 'active', now());
      for (const part of parts) await part.insert(trx);
      // Written before the commit, because the database stores only digests: lost secrets could not
      // be shown again. Written under the lock, so that it has the secrets of the stored rows.
      if (parts.length > 0) await replaceFile(file, text);
    });
  try {
    await (sample === undefined ? insert() : sample.blob.commit(insert));
  } catch (error) {
    if (error instanceof UnconfirmedCommit) {
      if ((await findSigningKey(db, key.kid)) !== undefined) return parts.length > 0;
      // The database may still be committing, so the file stays. If the commit fails, the next
      // start replaces the file.
      if ((await countSigningKeys(db)) === 0) throw error;
    }
    if ((await readFileIfAny(file)) === text) await rm(file, { force: true });
    // Another process filled the database first: its signing key is the only active one.
    if ((await countSigningKeys(db)) > 0) return false;
    throw error;
  }
  return parts.length > 0;
}

async function sampleOf(options: BootstrapOptions): Promise<StagedSample | undefined> {
  return options.sample && stageSample({ ...options, ...options.sample });
}

async function staff({ random, now }: BootstrapOptions): Promise<Part> {
  const email = 'staff@example.com';
  const password = encodeBase62(random(16), 22);
  const password_hash = await createPasswords().hash(password);
  return {
    settings: { STAFF_EMAIL: email, STAFF_PASSWORD: password },
    insert: (trx) =>
      insertUser(trx, {
        id: newId('usr', random),
        kind: 'staff',
        email,
        name: 'First staff user',
        password_hash,
        scopes: managementScopes.join(' '),
        create_time: now(),
        disable_time: null,
      }),
  };
}

function client({ random, now }: BootstrapOptions): Part {
  const id = newId('cli', random);
  const secret = generateCredential('cs', random);
  const scopes = demoScopes.join(' ');
  const create_time = now();
  return {
    settings: { CLIENT_ID: id, CLIENT_SECRET: secret.text, CLIENT_SCOPES: scopes },
    async insert(trx) {
      await insertClient(trx, { id, name: 'Demo client', scopes, create_time, disable_time: null });
      const fields = { name: 'First secret', scopes: '', createTime: create_time };
      await insertCredential(trx, { kind: 'cs', id }, secret, fields);
    },
  };
}

function customer({ random, now }: BootstrapOptions): Part {
  const id = newId('cus', random);
  const key = generateCredential('ck', random);
  const accounts = ['acc_demo_1', 'acc_demo_2'];
  const create_time = now();
  return {
    settings: { CUSTOMER_API_KEY: key.text, CUSTOMER_ACCOUNTS: accounts.join(',') },
    async insert(trx) {
      await insertCustomer(trx, { id, name: 'Demo customer', create_time, disable_time: null });
      await insertAccounts(trx, id, accounts, create_time);
      const fields = { name: 'First key', scopes: customerScopes, createTime: create_time };
      await insertCredential(trx, { kind: 'ck', id }, key, fields);
    },
  };
}

function workspace({ random, now }: BootstrapOptions, sample?: StagedSample): Part {
  const id = newId('ws', random);
  const key = generateCredential('wk', random);
  const create_time = now();
  return {
    settings: { API_KEY: key.text, WORKSPACE_ID: id },
    async insert(trx) {
      await insertWorkspace(trx, { id, name: 'Demo workspace', create_time });
      const fields = { name: 'First key', scopes: keyScopes, createTime: create_time };
      await insertCredential(trx, { kind: 'wk', id }, key, fields);
      await sample?.insert(trx, id);
    },
  };
}

export async function writeAddresses(file: string, addresses: Settings): Promise<void> {
  const text = await readFileIfAny(file);
  if (text === undefined) return;
  const others = text.split('\n').filter((line) => {
    const name = line.split('=', 1)[0] ?? '';
    return line !== '' && !(name in addresses);
  });
  const kept = others.map((line) => `${line}\n`).join('');
  if (write(addresses) + kept !== text) await replaceFile(file, write(addresses) + kept);
}

/** Formats lines that a shell can source. No value contains a quote. */
function write(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');
}
