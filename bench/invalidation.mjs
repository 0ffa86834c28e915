// Measures on PostgreSQL what 1,000 changes per second to different clients cost: one process makes
// the changes, and another one issues tokens to other clients from its caches.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { IssueTokenRequestSchema } from '../gen/latchkey/identity/v1/issuance_pb.js';
import { generateCredential } from '../src/base/crypto/credential-format.ts';
import { createCredentialDirectory } from '../src/credentials/directory.ts';
import { loadEd25519 } from '../src/identity/keys/ed25519.ts';
import { createIssuanceService } from '../src/identity/tokens/issuance-service.ts';
import { createSigner } from '../src/identity/tokens/signer.ts';
import { watchInvalidations } from '../src/storage/cache/invalidation.ts';
import { openDatabase, transact } from '../src/storage/database.ts';
import { context } from './caller.mjs';
import { collectLockWaits, isForTransaction, settings as logSettings } from './lock-waits.mjs';
import { startPostgres } from './postgres.mjs';
import { runTool } from './processes.mjs';
import { verdictOf } from './report.mjs';
import { machineMicros } from './usage.mjs';

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
    const lockWaits = collectLockWaits();
    const postgres = await startPostgres({ settings: logSettings, onLog: lockWaits.onLog });
    try {
      return await measureOn(await postgres.createDatabase(), { postgres, lockWaits });
    } finally {
      await postgres.stop();
    }
  },
};

async function measureOn(url, { postgres, lockWaits }) {
  const db = await openDatabase(url);
  const ids = await addClients(db, changedClients);
  const others = await addClientsWithSecrets(db, otherClients);
  const context = { db, url, ids, others, postgres, lockWaits };
  const without = await runRound(context, 0);
  const withChanges = await runRound(context, perSecond);
  await sql`alter table clients disable trigger all`.execute(db);
  const noTriggers = await runRound(context, perSecond);
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
async function runRound({ db, url, ids, others, postgres, lockWaits }, rate) {
  const service = await createService(db);
  for (const { clientId, text } of others) await service.issue(clientId, text);
  const misses = service.queries();
  const cpu = process.cpuUsage();
  const before = { postgres: postgres.micros(), machine: machineMicros() };
  lockWaits.take();
  const settings = { url, ids, perSecond: rate, seconds };
  const script = path.join(import.meta.dirname, 'loads/changes.mjs');
  const changing = runTool(process.execPath, ['--import', 'tsx', script, JSON.stringify(settings)]);
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
  const { user, system } = process.cpuUsage(cpu);
  const postgresMs = (postgres.micros() - before.postgres) / 1_000;
  const readerMs = (user + system) / 1_000;
  const machineMs = (machineMicros() - before.machine) / 1_000;
  const hitRate = 1 - (service.queries() - misses) / issued;
  await service.stop();
  const waits = lockWaits.take();
  return { ...changes, issued, hitRate, readerMs, postgresMs, machineMs, waits };
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
  const privateKey = (await loadEd25519()).privateKey(randomBytes(32));
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
      service.issueToken(
        create(IssueTokenRequestSchema, { clientId, clientSecret, scope }),
        context,
      ),
    queries: () => queries,
    stop: () => invalidations.stop(),
  };
}

function report({ without, withChanges, noTriggers }) {
  const { made, failed, took, issued, hitRate, waits, cpuMs, postgresMs, machineMs } = withChanges;
  const micros = (ms) => `${Math.round((ms * 1_000) / made)} µs`;
  const cores = (ms) => (ms / 1_000 / took).toFixed(2);
  const percent = (share) => `${(share * 100).toFixed(3)} %`;
  const rate = Math.round(made / took);
  const blocked = waits.filter(isForTransaction);
  const { passed, lines } = verdictOf(invalidation.name, [
    {
      passed: rate >= perSecond * 0.95 && failed === 0,
      text: `${rate} changes/s, ${failed} failed (target ${perSecond}/s)`,
    },
    {
      passed: hitRate >= hitRateMin,
      text: `${percent(hitRate)} of ${issued} tokens of others from the caches (target >= 99 %)`,
    },
    {
      passed: blocked.length === 0,
      text: `${blocked.length} transactions waited at least 1 ms for another (target 0)`,
    },
  ]);
  const longest = waits.toSorted((a, b) => b.ms - a.ms)[0];
  const wait = longest ? `${longest.ms} ms, ${longest.lock}` : 'less than 1 ms';
  const othersMs = machineMs - cpuMs - postgresMs - withChanges.readerMs;
  return {
    passed,
    lines: [
      ...lines,
      `        longest wait for any lock: ${wait}`,
      `        CPU per change: ${micros(cpuMs)} in the process that makes it, ` +
        `${micros(withChanges.readerMs - without.readerMs)} in another process, ` +
        `${micros(postgresMs - without.postgresMs)} in PostgreSQL`,
      `        without triggers: ${micros(noTriggers.cpuMs)} in the process that makes it, ` +
        `${micros(noTriggers.postgresMs - without.postgresMs)} in PostgreSQL`,
      `        cores used: changes ${cores(cpuMs)}, tokens ${cores(withChanges.readerMs)}, ` +
        `PostgreSQL ${cores(postgresMs)}, other programs ${cores(Math.max(0, othersMs))}`,
    ],
  };
}
