// Measures on PostgreSQL what 1,000 changes per second to different clients cost: one process makes
// the changes, and another one issues tokens to other clients from its caches.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { tsImport } from 'tsx/esm/api';
import { createCredentialDirectory } from '../dist/src/credentials/directory.js';
import { generateCredential } from '../dist/src/crypto/credential-format.js';
import { createIssuanceService } from '../dist/src/identity/tokens/issuance-service.js';
import { createSigner } from '../dist/src/identity/tokens/signer.js';
import { openDatabase, transact } from '../dist/src/storage/database.js';
import { watchInvalidations } from '../dist/src/storage/invalidation.js';
import { runTool } from './processes.mjs';

const perSecond = 1_000;
const seconds = 10;
const changedClients = 10_000;
const otherClients = 5_000;
const hitRateMin = 0.99;
const scope = 'accounts:read';

/** Tokens per second: enough to ask for each client several times. */
const issuedPerSecond = 2_000;

export const invalidation = {
  name: 'invalidation',
  async measure() {
    const { startPostgres } = await tsImport('../test/support/postgres.ts', import.meta.url);
    const postgres = await startPostgres();
    try {
      return await measureOn(await postgres.createDatabase());
    } finally {
      await postgres.stop();
    }
  },
};

async function measureOn(url) {
  const db = await openDatabase(url);
  const ids = await addClients(db, changedClients);
  const others = await addClientsWithSecrets(db, otherClients);
  const without = await runRound(db, url, { ids, others, rate: 0 });
  const withChanges = await runRound(db, url, { ids, others, rate: perSecond });
  await sql`alter table clients disable trigger all`.execute(db);
  const noTriggers = await runRound(db, url, { ids, others, rate: perSecond });
  await db.destroy();
  return report({ without, withChanges, noTriggers });
}

async function addClients(db, count) {
  const rows = Array.from({ length: count }, (_, i) => ({
    id: `cli_${i}`,
    name: '',
    scopes: scope,
    create_time: 1,
  }));
  for (let i = 0; i < count; i += 1_000) {
    await transact(db, (trx) =>
      trx
        .insertInto('clients')
        .values(rows.slice(i, i + 1_000))
        .execute(),
    );
  }
  return rows.map(({ id }) => id);
}

async function addClientsWithSecrets(db, count) {
  const all = Array.from({ length: count }, (_, i) => ({
    clientId: `cli_other_${i}`,
    ...generateCredential('cs', randomBytes),
  }));
  const common = { name: '', scopes: '', create_time: 1 };
  for (let i = 0; i < count; i += 1_000) {
    const some = all.slice(i, i + 1_000);
    await transact(db, async (trx) => {
      const clients = some.map(({ clientId }) => ({ ...common, id: clientId, scopes: scope }));
      await trx.insertInto('clients').values(clients).execute();
      const secrets = some.map(({ id, digest, clientId }) => ({
        ...common,
        id,
        digest,
        client_id: clientId,
      }));
      await trx.insertInto('credentials').values(secrets).execute();
    });
  }
  return all;
}

/** Issues tokens to the other clients, while another process changes clients at a rate. */
async function runRound(db, url, { ids, others, rate }) {
  const service = await createService(db);
  for (const { clientId, text } of others) await service.issue(clientId, text);
  const misses = service.queries();
  const before = { cpu: process.cpuUsage(), postgres: await postgresCpuMs(db) };
  const settings = { url, ids, perSecond: rate, seconds };
  const script = path.join(import.meta.dirname, 'loads/changes.mjs');
  const changing = runTool(process.execPath, [script, JSON.stringify(settings)]);
  let issued = 0;
  let isDone = false;
  const made = changing.finally(() => {
    isDone = true;
  });
  const start = performance.now();
  while (!isDone) {
    const due = Math.floor(((performance.now() - start) * issuedPerSecond) / 1_000);
    for (; issued < due; issued++) {
      const { clientId, text } = others[issued % others.length];
      await service.issue(clientId, text);
    }
    await sleep(1);
  }
  const changes = JSON.parse(await made);
  const { user, system } = process.cpuUsage(before.cpu);
  const postgresMs = (await postgresCpuMs(db)) - before.postgres;
  await service.stop();
  return {
    ...changes,
    issued,
    hitRate: 1 - (service.queries() - misses) / issued,
    readerMs: (user + system) / 1_000,
    postgresMs,
  };
}

/** The part of a process that issues tokens. Counts the queries of its caches. */
async function createService(db) {
  let queries = 0;
  const counted = db.withPlugin({
    transformQuery({ node }) {
      queries++;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const invalidations = await watchInvalidations(db);
  const now = Date.now;
  const { privateKey } = generateKeyPairSync('ed25519');
  const keyring = { active: async () => ({ header: 'header', privateKey }) };
  const issuer = 'http://127.0.0.1:8080';
  const service = createIssuanceService({
    directory: createCredentialDirectory({ db: counted, invalidations, recordUse() {}, now }),
    signer: createSigner({ keyring, issuer, audience: issuer, now }),
    serviceTokenSeconds: 300,
    customerTokenSeconds: 60,
  });
  return {
    issue: (clientId, clientSecret) =>
      service.issueToken({ clientId, clientSecret, scope, grantType: '' }),
    queries: () => queries,
    stop: () => invalidations.stop(),
  };
}

/** The processor time of the server's processes. Those that ended count for the postmaster. */
async function postgresCpuMs(db) {
  const { rows } = await sql`select pg_backend_pid() as pid`.execute(db);
  const postmaster = Number(statOf(rows[0].pid)[1]);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  const ticks = children
    .trim()
    .split(' ')
    .map(statOf)
    .reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0);
  const ended = statOf(postmaster);
  return (ticks + Number(ended[13]) + Number(ended[14])) * 10;
}

/** The fields of a process from its state on: see proc_pid_stat(5). */
function statOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
}

function report({ without, withChanges, noTriggers }) {
  const microseconds = (ms, count) => `${Math.round((ms * 1_000) / count)} µs`;
  const rate = withChanges.made / withChanges.took;
  const readerMs = withChanges.readerMs - without.readerMs;
  const isFast = rate >= perSecond * 0.95;
  const passed = isFast && withChanges.hitRate >= hitRateMin && withChanges.failed === 0;
  return {
    passed,
    lines: [
      `${passed ? 'ok' : 'MISSED'} invalidation: ${Math.round(rate)} changes/s, ` +
        `${withChanges.failed} failed, ${withChanges.lockWaits} waited 5 ms for a lock`,
      `  hit rate of all other clients: ${(withChanges.hitRate * 100).toFixed(3)} % of ` +
        `${withChanges.issued} tokens (target ${hitRateMin * 100} %)`,
      `  processor time per change: ${microseconds(withChanges.cpuMs, withChanges.made)} in the ` +
        `process that makes it, ${microseconds(readerMs, withChanges.made)} in another process, ` +
        `${microseconds(withChanges.postgresMs, withChanges.made)} in PostgreSQL`,
      `  without triggers: ${microseconds(noTriggers.cpuMs, noTriggers.made)} and ` +
        `${microseconds(noTriggers.postgresMs, noTriggers.made)}`,
    ],
  };
}
