// Calls with the same Idempotency-Key that reach two nodes at the same time.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppPair, startAppPair } from '../support/app-pair.ts';
import { newKey } from '../support/creating-calls.ts';
import { managerCredential } from '../support/manager-calls.ts';
import { describeDialects } from '../support/matrix.ts';
import { blobDirOf, filesUnder, keyOf } from '../support/sharing-api.ts';

type Outcome = { status: number; replayed: string | null; body: Record<string, unknown> };

describeDialects('two nodes', (dialect) => {
  let pair: AppPair;
  beforeAll(async () => {
    pair = await startAppPair(dialect, {});
  });
  afterAll(() => pair.remove());

  /** Sends the same request to both nodes in turn, several times at once. */
  async function together(count: number, request: (i: number) => [string, RequestInit]) {
    const sent = Array.from({ length: count }, async (_, i): Promise<Outcome> => {
      const [path, init] = request(i);
      const origin = pair.origins[i % 2] ?? '';
      const response = await fetch(origin + path, { method: 'POST', ...init });
      const replayed = response.headers.get('idempotency-replayed');
      return {
        status: response.status,
        replayed,
        body: (await response.json()) as Outcome['body'],
      };
    });
    return Promise.all(sent);
  }

  const jsonCall = async (key: string, nameOf: (i: number) => string) => {
    const credential = await managerCredential(pair.apps[0].app, 'clients:write payments:read');
    const headers = {
      ...credential,
      'content-type': 'application/json',
      'idempotency-key': key,
    };
    return together(12, (i) => {
      const body = JSON.stringify({ name: nameOf(i), scopes: ['payments:read'] });
      return ['/clients', { headers, body }];
    });
  };
  const clientsNamed = (name: string) =>
    pair.apps[0].app.inside.db
      .selectFrom('clients')
      .select('id')
      .where('name', 'like', `${name}%`)
      .execute();

  it('create one object for equal calls, and all calls get the same secret', async () => {
    for (let round = 0; round < 3; round++) {
      const answers = await jsonCall(newKey(), () => `Same ${round}`);

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ body }) => body.client_secret)).size).toBe(1);
      expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
      expect(await clientsNamed(`Same ${round}`)).toHaveLength(1);
    }
  });

  it('create one user for equal calls, whose email address must be unique', async () => {
    const credential = await managerCredential(pair.apps[0].app, 'users:write', { type: 'staff' });
    const headers = { ...credential, 'content-type': 'application/json' };
    const password = newKey();
    const user = { kind: 'USER_KIND_MEMBER', email: 'nora@example.com', name: 'Nora', password };
    const key = newKey();

    const answers = await together(4, () => {
      const body = JSON.stringify(user);
      return ['/users', { headers: { ...headers, 'idempotency-key': key }, body }];
    });

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('create one object for different calls with one key, and refuse the other calls', async () => {
    const answers = await jsonCall(newKey(), (i) => `Different ${i}`);

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(
      new Set(['idempotency_key_reused']),
    );
    expect(await clientsNamed('Different')).toHaveLength(1);
  });

  it('store one document for equal uploads, and no other bytes', async () => {
    const [first] = pair.apps;
    const before = await filesUnder(blobDirOf(first));
    const headers = { ...keyOf(first), 'idempotency-key': newKey() };

    const answers = await together(6, () => {
      const form = new FormData();
      form.append('file', new Blob(['The terms.'.repeat(10_000)]), 'terms.txt');
      return ['/api/v1/documents', { headers, body: form }];
    });

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    await expect
      .poll(() => filesUnder(blobDirOf(first)), { timeout: 10_000 })
      .toHaveLength(before.length + 1);
  });
});
