// Calls of which a killed service has committed some, and answered none.
import { rm } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { newKey } from '../support/creating-calls.ts';
import { freshPostgresDatabase } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { newDataDir, type RunningProgram, startProgram } from '../support/program.ts';
import { bearer } from '../support/sharing-api.ts';
import { startSilentProxy } from '../support/tcp-proxies.ts';

const kinds = ['clients', 'customers', 'workspaces', 'links'] as const;
const callsPerKind = 16;
/** The service is killed when it has committed so many calls. */
const committedMin = 12;

type Answer = {
  readonly status: number;
  readonly isReplayed: boolean;
  readonly body: Record<string, string> & { readonly client: { readonly id: string } };
};

async function post(
  url: string,
  body: string | FormData,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const response = await fetch(url, { method: 'POST', headers: { ...json, ...headers }, body });
  return {
    status: response.status,
    isReplayed: response.headers.get('idempotency-replayed') === 'true',
    body: (await response.json()) as Answer['body'],
  };
}

/** The caller of a started service. Another start has another port, and so another issuer. */
async function signIn({ env, httpPort }: RunningProgram) {
  const url = `http://127.0.0.1:${httpPort}`;
  const { STAFF_EMAIL: email, STAFF_PASSWORD: password, API_KEY } = env;
  const session = await post(`${url}/sessions`, JSON.stringify({ email, password }));
  return { url, key: bearer(API_KEY), staff: bearer(session.body.access_token ?? '') };
}

type Caller = Awaited<ReturnType<typeof signIn>>;

/** Creates an object, whose name is also the Idempotency-Key. */
function create(
  { url, key, staff }: Caller,
  documentId: string,
  [kind, name]: readonly [(typeof kinds)[number], string],
): Promise<Answer> {
  const calls = {
    clients: { path: '/clients', headers: staff, fields: { scopes: ['accounts:read'] } },
    customers: { path: '/customers', headers: staff, fields: {} },
    workspaces: { path: '/workspaces', headers: staff, fields: {} },
    links: { path: '/api/v1/links', headers: key, fields: { document_id: documentId } },
  };
  const { path, headers, fields } = calls[kind];
  const body = JSON.stringify({ ...fields, name });
  return post(url + path, body, { ...headers, 'idempotency-key': name });
}

describeDialects('calls that were committed but not answered', (dialect) => {
  it('have one effect, and get the recorded answers when they are repeated', async () => {
    const dataDir = await newDataDir();
    const databaseUrl =
      dialect === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dataDir}/latchkey.db`;
    const env = { LATCHKEY_DATABASE_URL: databaseUrl, LATCHKEY_BOOTSTRAP: 'demo' };
    let program = await startProgram(env, dataDir);
    const db = await openDatabase(databaseUrl);
    onTestFinished(async () => {
      await db.destroy();
      await program.kill();
      await rm(dataDir, { recursive: true, force: true });
    });
    const countRecorded = async () =>
      (await db.selectFrom('recorded_answers').select('key').execute()).length;
    const before = await signIn(program);
    const form = new FormData();
    form.append('file', new Blob(['The terms.']), 'terms.txt');
    const uploaded = await post(`${before.url}/api/v1/documents`, form, before.key);
    const documentId = uploaded.body.id ?? '';
    const silent = {
      ...before,
      url: `http://127.0.0.1:${await startSilentProxy(program.httpPort)}`,
    };
    const calls = Array.from({ length: callsPerKind }).flatMap(() =>
      kinds.map((kind) => [kind, newKey()] as const),
    );

    const cut = calls.map((call) =>
      create(silent, documentId, call).then(
        () => 'answered',
        () => 'cut',
      ),
    );
    await expect.poll(countRecorded, { interval: 1 }).toBeGreaterThanOrEqual(committedMin);
    await program.kill();
    expect(await Promise.all(cut)).toEqual(calls.map(() => 'cut'));
    program = await startProgram(env, dataDir);
    const committed = await countRecorded();
    const caller = await signIn(program);
    const repeat = () => Promise.all(calls.map((call) => create(caller, documentId, call)));
    const answers = await repeat();
    const again = await repeat();

    expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 201));
    expect(answers.filter(({ isReplayed }) => isReplayed)).toHaveLength(committed);
    expect(again).toEqual(answers.map((answer) => ({ ...answer, isReplayed: true })));
    const made = answers.map(({ body }, i) => [calls[i]?.[1], body.client?.id ?? body.id]);
    const names = calls.map(([, name]) => name);
    const stored: unknown[] = [];
    for (const kind of kinds) {
      const rows = db.selectFrom(kind).select(['name', 'id']).where('name', 'in', names);
      stored.push(...(await rows.execute()).map(({ name, id }) => [name, id]));
    }
    expect(stored.toSorted()).toEqual(made.toSorted());
    for (const { body } of answers.filter(({ body }) => body.client !== undefined)) {
      const { client, client_secret } = body;
      const request = { client_id: client.id, client_secret, scope: 'accounts:read' };
      const token = await post(`${caller.url}/tokens`, JSON.stringify(request));
      expect(token.status).toBe(200);
    }
  });
});
