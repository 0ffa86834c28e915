// The program under test, its credentials, and the checks of its health during fuzzing.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Trial } from '../support/campaign.ts';
import { addManager, callsTo, managerScopes } from '../support/campaign-calls.ts';
import {
  descriptorsOf,
  type RunningProgram,
  residentMbOf,
  startProgram,
} from '../support/program.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/** Memory growth allowed for caches and uncollected garbage. */
const heapGrownMbMax = 48;
const residentGrownMbMax = 200;
const stallMsMax = 1_000;
/** More than the time limits of a gRPC call: 30 s for its request, 60 s for its answer. */
const settleMs = 110_000;
const refreshMs = 5_000;

export type Target = Awaited<ReturnType<typeof startTarget>>;

export async function startTarget(trial: Trial) {
  const preload = pathToFileURL(path.resolve(import.meta.dirname, '../support/gc-on-signal.mjs'));
  const program = await startProgram({
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'error',
    NODE_OPTIONS: `--import ${preload}`,
  });
  trial.onEnd(() => program.remove());
  const pid = program.child.pid ?? 0;
  const { env } = program;
  const calls = callsTo(program);
  const manager = await addManager(calls);
  const state = { refreshed: 0, isOver: false, stallMs: 0, refreshing: Promise.resolve() };
  const credentials = { staff: '', client: '' };
  const ids: Record<string, string> = { workspace: env.WORKSPACE_ID };

  /** A generated request may end the session, delete the document or revoke the link. */
  async function refresh(): Promise<void> {
    credentials.staff = await calls.signIn();
    const scope = managerScopes.join(' ');
    credentials.client = await calls.issue(manager.id, manager.secret, scope);
    const document = await calls.upload(new Uint8Array(trial.random.bytes(2000)));
    ids.document = String(document?.body.id);
    const fields = { document_id: ids.document, email_required: trial.random.chance(0.5) };
    const link = await calls.json('POST', '/api/v1/links', env.API_KEY, fields);
    ids.link = String(link?.body.id);
    ids.slug = String(link?.body.url).split('/s/')[1] ?? '';
  }
  await refresh();
  const fields = { name: 'Target', scopes: ['payments:read'] };
  const { body } = (await calls.json('POST', '/clients', credentials.staff, fields)) ?? {};
  ids.client = String((body?.client as { id?: string } | undefined)?.id);

  async function readLag(): Promise<number> {
    const text = await (await fetch(`${env.LATCHKEY_OPS_URL}/metrics`)).text();
    const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
    return Number(seconds) * 1000;
  }

  return {
    program,
    ids,
    httpPort: program.httpPort,
    grpcPort: Number(env.LATCHKEY_GRPC_ADDRESS.split(':')[1]),
    /** The longest stall of the event loop since the last call, in milliseconds. */
    readLag,
    /** A bearer credential of any kind, or none. */
    credential(random: SeededRandom): string | undefined {
      const { staff, client } = credentials;
      return random.pick([undefined, env.API_KEY, client, client, staff, staff]);
    },
    /** Renews the credentials; throws if the process has ended. */
    async keep(): Promise<void> {
      if (program.child.exitCode !== null || program.child.signalCode !== null) {
        throw new Error(`the process has ended: ${program.stderr().slice(-4000)}`);
      }
      if (Date.now() - state.refreshed < refreshMs) return state.refreshing;
      state.refreshed = Date.now();
      state.refreshing = refresh().then(async () => {
        state.stallMs = Math.max(state.stallMs, await readLag());
      });
      return state.refreshing;
    },
    /** Descriptors and memory after a pause and a garbage collection. */
    quiet: async () => {
      await sleep(500);
      const mark = program.stderr().length;
      program.child.kill('SIGUSR2');
      let heap: string | undefined;
      for (let i = 0; i < 100 && heap === undefined; i++) {
        await sleep(100);
        [, heap] = /heap: (\d+)/.exec(program.stderr().slice(mark)) ?? [];
      }
      const heapMb = Math.round(Number(heap) / 1024 / 1024);
      return { descriptors: descriptorsOf(pid), heapMb, residentMb: residentMbOf(pid) };
    },
    /** Compares with the figures before the fuzzing. */
    async expectUnharmed(before: { descriptors: number; heapMb: number; residentMb: number }) {
      state.stallMs = Math.max(state.stallMs, await readLag());
      await this.keep();
      const until = Date.now() + settleMs;
      let now = await this.quiet();
      while (now.descriptors > before.descriptors + 4 && Date.now() < until) {
        now = await this.quiet();
      }
      trial.figure('descriptors', `${before.descriptors} -> ${now.descriptors}`);
      trial.figure('heap', `${before.heapMb} -> ${now.heapMb} MiB`);
      trial.figure('memory', `${before.residentMb} -> ${now.residentMb} MiB`);
      trial.figure('longest stall', `${Math.round(state.stallMs)} ms`);
      if (now.descriptors > before.descriptors + 4) trial.fail('descriptors are left');
      if (!(now.heapMb - before.heapMb <= heapGrownMbMax)) trial.fail('the heap has grown');
      if (now.residentMb - before.residentMb > residentGrownMbMax) trial.fail('memory has grown');
      if (state.stallMs > stallMsMax) trial.fail(`the event loop stood for ${state.stallMs} ms`);
      for (const line of errorsOf(program)) trial.fail(`an error in the log: ${line}`);
    },
  };
}

/** One log line per kind of error. */
function errorsOf(program: RunningProgram): string[] {
  const kinds = new Map<string, string>();
  for (const line of program.stdout().split('\n')) {
    if (!/"code":"(internal|unavailable)"|"level":60/.test(line)) continue;
    const [, kind = line] = /"(?:method|page)":"([^"]+)"/.exec(line) ?? [];
    if (!kinds.has(kind)) kinds.set(kind, line.slice(0, 1500));
  }
  return [...kinds.values()];
}
