// Compares issuing a token among a million and among a thousand clients and keys, for credentials
// that are not cached. Uses the handlers and the schema of the service.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import {
  ExchangeApiKeyRequestSchema,
  IssueTokenRequestSchema,
} from '../gen/latchkey/identity/v1/issuance_pb.js';
import { generateCredential } from '../src/base/crypto/credential-format.ts';
import { createCredentialDirectory } from '../src/credentials/directory.ts';
import { loadEd25519 } from '../src/identity/keys/ed25519.ts';
import { createIssuanceService } from '../src/identity/tokens/issuance-service.ts';
import { createSigner } from '../src/identity/tokens/signer.ts';
import { openDatabase } from '../src/storage/database.ts';
import { context } from './caller.mjs';
import SQLite from './sqlite.mjs';

const sizes = [1_000, 1_000_000];
const rounds = 9;
const lookupsPerRound = 2_000;
const batch = 1_000;
const ratioMax = 1.15;

/** The number of credentials that are looked up. The other rows are only similar. */
const known = 20_000;

const scope = 'accounts:read payments:write';

/** The method for each kind of credential. */
const calls = {
  cs: {
    title: 'IssueToken',
    issue: (service, text) =>
      service.issueToken(
        create(IssueTokenRequestSchema, {
          clientId: `cli_${text.slice(6, 28)}`,
          clientSecret: text,
          scope,
        }),
        context,
      ),
  },
  ck: {
    title: 'ExchangeApiKey',
    issue: (service, text) =>
      service.exchangeApiKey(create(ExchangeApiKeyRequestSchema, { apiKey: text, scope }), context),
  },
};

export const lookups = {
  name: 'look-ups',

  async measure(folder) {
    const databases = [];
    for (const size of sizes) databases.push(await createDatabase(folder, size));
    try {
      const verdicts = [];
      for (const kind of Object.keys(calls)) verdicts.push(await compare(kind, databases));
      return {
        lines: verdicts.map(({ line }) => line),
        passed: verdicts.every(({ passed }) => passed),
      };
    } finally {
      for (const { db } of databases) await db.destroy();
      for (const { file } of databases) await rm(file);
    }
  },
};

async function compare(kind, databases) {
  process.stdout.write(`${calls[kind].title} for credentials not seen before `);
  const times = databases.map(() => []);
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [i, database] of databases.entries()) {
      const micros = await timeLookups(database, kind, round);
      if (round > 0) times[i].push(micros);
    }
    process.stdout.write('.');
  }
  const [few, many] = times.map(median);
  const ratio = many / few;
  const passed = ratio <= ratioMax;
  process.stdout.write('\n');
  const line =
    `${passed ? 'PASS' : 'MISS'}  Look-ups, ${calls[kind].title}: ${many.toFixed(0)} µs among ` +
    `1,000,000, ${few.toFixed(0)} µs among 1,000: ${ratio.toFixed(2)} times (target <= ${ratioMax})`;
  return { line, passed };
}

/** Returns the average microseconds per look-up with empty caches. */
async function timeLookups({ db, texts }, kind, round) {
  let spent = 0;
  for (let done = 0; done < lookupsPerRound; done += batch) {
    const service = freshService(db);
    const from = (round * lookupsPerRound + done) % texts[kind].length;
    const chosen = texts[kind].slice(from, from + batch);
    const started = performance.now();
    for (const text of chosen) await calls[kind].issue(service, text);
    spent += performance.now() - started;
  }
  return (spent / lookupsPerRound) * 1000;
}

const privateKey = (await loadEd25519()).privateKey(randomBytes(32));

/** Creates a service with empty caches. */
function freshService(db) {
  const invalidations = { onEviction() {}, ensureFresh() {} };
  const keyring = { active: async () => ({ header: 'header', privateKey }) };
  const issuer = 'http://127.0.0.1:8080';
  return createIssuanceService({
    directory: createCredentialDirectory({ db, invalidations, recordUse() {}, now: Date.now }),
    signer: createSigner({ keyring, issuer, audience: issuer, now: Date.now }),
    serviceTokenSeconds: 300,
    customerTokenSeconds: 60,
  });
}

async function createDatabase(folder, size) {
  process.stdout.write(
    `${size.toLocaleString('en')} clients and ${size.toLocaleString('en')} keys`,
  );
  const started = performance.now();
  const file = path.join(folder, `look-ups-${size}.db`);
  await (await openDatabase(`sqlite:${file}`)).destroy();
  const texts = { cs: [], ck: [] };
  const raw = new SQLite(file);
  // The database does not have to survive a power failure.
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -500000']) {
    raw.pragma(pragma);
  }
  raw.pragma('foreign_keys = OFF');
  raw.transaction(() => {
    for (const kind of Object.keys(calls)) texts[kind] = fill(raw, kind, size);
  })();
  raw.close();
  const db = await openDatabase(`sqlite:${file}`);
  process.stdout.write(` in ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  return { db, file, texts };
}

/** Inserts rows ordered by id, which is fastest. Returns the known credentials, shuffled. */
function fill(raw, kind, size) {
  const knownCredentials = Array.from({ length: Math.min(known, size) }, () =>
    generateCredential(kind, randomBytes),
  );
  const rows = knownCredentials.map(({ id, digest }) => ({ lookupId: id.slice(4), digest }));
  while (rows.length < size) rows.push({ lookupId: anyLookupId(), digest: undefined });
  rows.sort((a, b) => (a.lookupId < b.lookupId ? -1 : 1));
  const insert = inserts[kind](raw);
  for (const { lookupId, digest } of rows) {
    insert(lookupId, digest ?? randomBytes(32).toString('hex'));
  }
  return shuffle(knownCredentials.map(({ text }) => text));
}

const scopes = 'accounts:read payments:read payments:write';
const insertCredential =
  'INSERT INTO credentials (id, client_id, customer_id, name, digest, scopes, create_time) ' +
  "VALUES (?, ?, ?, 'First', ?, ?, 1)";

const inserts = {
  cs(raw) {
    const client = raw.prepare(
      "INSERT INTO clients (id, name, scopes, create_time) VALUES (?, 'Client', ?, 1)",
    );
    const secret = raw.prepare(insertCredential);
    return (lookupId, digest) => {
      client.run(`cli_${lookupId}`, scopes);
      secret.run(`sec_${lookupId}`, `cli_${lookupId}`, null, digest, '');
    };
  },
  ck(raw) {
    const customer = raw.prepare(
      "INSERT INTO customers (id, name, create_time) VALUES (?, 'Customer', 1)",
    );
    const account = raw.prepare('INSERT INTO accounts VALUES (?, ?)');
    const key = raw.prepare(insertCredential);
    return (lookupId, digest) => {
      customer.run(`cus_${lookupId}`);
      account.run(`cus_${lookupId}`, `acc_${lookupId}`);
      key.run(`key_${lookupId}`, null, `cus_${lookupId}`, digest, scopes);
    };
  },
};

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns an id without a credential, which is faster to create. */
function anyLookupId() {
  return Array.from(randomBytes(22), (byte) => alphabet[byte % 62]).join('');
}

function shuffle(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
