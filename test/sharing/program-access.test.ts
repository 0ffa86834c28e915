// Programs that read a shared document for a person, with a token of a token exchange.
import { beforeAll, expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { digestOf, fetchNonce, type Holder, makeHolder } from '../support/dpop.ts';
import { addDocument, makeFolder, makeRoom } from '../support/folder-calls.ts';
import { managerCredential } from '../support/manager-calls.ts';
import { type Added, addClient } from '../support/owner-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { readPages } from '../support/pdf-text.ts';
import { findFailures, itHoldsFor } from '../support/rule.ts';
import {
  bearer,
  callSharingApi,
  type DocumentFields,
  type LinkFields,
  makeLink,
  upload,
} from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';
import {
  accessTokenType,
  exchangedToken,
  exchangeGrant,
  ownToken,
} from '../support/token-exchange.ts';
import { addUser } from '../support/user-rows.ts';

const pdf = makePdf({ pages: 2, text: 'The secret terms' });
const email = 'alice@example.com';
const routes = ['/file', '/versions/1/file', '/download'];

type Headers = Readonly<Record<string, string>>;
type Options = Readonly<Record<string, unknown>>;

type ViewFields = {
  readonly email: string;
  readonly email_verified: boolean;
  readonly acting_client_id: string;
  readonly acting_client_name: string;
  readonly download_count: number;
};

describeApp('a program that reads a link for a person', (suite) => {
  const test = () => suite.testApp;
  let document: DocumentFields;
  let agent: Added;
  let userId: string;
  let holder: Holder;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    document = await upload(test(), pdf, 'terms.pdf');
    const mayAct = ['staff', 'customer', 'service'];
    agent = await addClient(db, 'documents:read accounts:read', { mayAct });
    const scopes = 'documents:read accounts:read';
    userId = (await addUser(db, { email, scopes })).id;
    holder = await makeHolder();
  });

  const open = (options: Options = {}): Promise<LinkFields> =>
    makeLink(test(), document.id, { allow_download: true, program_access: true, ...options });

  const personToken = (scope = 'documents:read accounts:read') =>
    signToken(suite.app, { type: 'staff', sub: userId, scope });

  const delegated = async (form = {}, by = agent) =>
    exchangedToken(suite.app, by, await personToken(), form);

  const credential = async (form = {}, by = agent) => bearer(await delegated(form, by));

  async function boundToken(): Promise<string> {
    const url = `${suite.app.publicUrl}/tokens`;
    const form = {
      ...{ grant_type: exchangeGrant, subject_token: await personToken() },
      ...{ subject_token_type: accessTokenType },
      ...{ client_id: agent.ownerId, client_secret: agent.text },
    };
    const nonce = await fetchNonce(url, form);
    const response = await fetch(url, {
      method: 'POST',
      headers: { dpop: await holder.prove({ htu: url, nonce }) },
      body: new URLSearchParams(form),
    });
    return String(((await response.json()) as { access_token: string }).access_token);
  }

  async function manage(scope: string, path: string, body: object) {
    const credential = await managerCredential(suite.app, scope);
    const response = await fetch(suite.app.publicUrl + path, {
      method: 'POST',
      headers: { ...credential, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok).toBe(true);
    return (await response.json()) as { readonly id: string };
  }

  const revoke = (token: string) => manage('tokens:write', '/tokens/revoke', { token });

  async function createAudience(): Promise<string> {
    const audience = { identifier: 'https://other.example', name: 'Other' };
    return (await manage('audiences:write', '/audiences', audience)).id;
  }

  async function viewsOf({ id }: LinkFields): Promise<ViewFields[]> {
    const route = `/links/${id}/views`;
    const { body } = await callSharingApi<{ views: ViewFields[] }>(test(), 'GET', route);
    return body.views;
  }

  const patch = (link: LinkFields, body: Options) =>
    callSharingApi(test(), 'PATCH', `/links/${link.id}`, body);

  async function statusesOf(link: LinkFields, headers: Headers): Promise<number[]> {
    const answers = await Promise.all(routes.map((route) => fetch(link.url + route, { headers })));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    return answers.map(({ status }) => status);
  }

  /** Checks that each route refuses the request, with the same reason and without a byte. */
  async function expectRefused(
    { url }: Pick<LinkFields, 'url'>,
    headers: Headers,
    [status, detail]: readonly [number, RegExp],
  ): Promise<void> {
    for (const route of routes) {
      const answer = await fetch(url + route, { headers: { ...headers, range: 'bytes=0-9' } });
      const text = await answer.text();
      expect(JSON.parse(text), route).toMatchObject({
        status,
        detail: expect.stringMatching(detail),
      });
      expect(text).not.toMatch(/secret|PDF/);
      expect(answer.headers.get('etag')).toBeNull();
      expect(answer.headers.get('www-authenticate') !== null, 'a challenge').toBe(status === 401);
    }
  }

  const forbiddenToken = [403, /token of a token exchange for a user/] as const;
  const invalidToken = [401, /invalid, expired or revoked/] as const;
  const needsKey = [401, /bound to a key/] as const;

  type Credentials = readonly [
    name: string,
    make: () => Promise<Headers> | Headers,
    refusal: readonly [number, RegExp],
  ];
  const refusedCredentials: readonly Credentials[] = [
    ['the token of the person', async () => bearer(await personToken()), forbiddenToken],
    [
      'the token of the client for itself',
      async () => bearer(await ownToken(suite.app, agent, 'documents:read')),
      forbiddenToken,
    ],
    [
      'a token that acts for a customer',
      async () => {
        const token = await signToken(suite.app, { type: 'customer', scope: 'documents:read' });
        return bearer(await exchangedToken(suite.app, agent, token));
      },
      forbiddenToken,
    ],
    [
      'a token that acts for a client',
      async () => {
        const token = await signToken(suite.app, { type: 'service', scope: 'documents:read' });
        return bearer(await exchangedToken(suite.app, agent, token));
      },
      forbiddenToken,
    ],
    [
      'a token for another audience',
      async () => {
        const { db } = suite.app.inside;
        const state = { audienceIds: [await createAudience()], mayAct: ['service'] };
        const [subject, other] = [
          await addClient(db, 'documents:read', state),
          await addClient(db, 'documents:read', state),
        ];
        const token = await ownToken(suite.app, subject, 'documents:read');
        return bearer(await exchangedToken(suite.app, other, token));
      },
      invalidToken,
    ],
    [
      'a revoked token',
      async () => {
        const token = await delegated();
        await revoke(token);
        return bearer(token);
      },
      invalidToken,
    ],
    [
      'a token whose parent is revoked',
      async () => {
        const parent = await personToken();
        const token = await exchangedToken(suite.app, agent, parent);
        await revoke(parent);
        return bearer(token);
      },
      invalidToken,
    ],
    ['a text', () => bearer('x.y.z'), invalidToken],
    ['the key of the workspace', () => bearer(test().env.API_KEY), [401, /not API keys/]],
    [
      'the key as a DPoP token',
      () => ({ authorization: `DPoP ${test().env.API_KEY}` }),
      invalidToken,
    ],
    ['a bound token as Bearer', async () => bearer(await boundToken()), needsKey],
    [
      'a bound token without a proof',
      async () => ({ authorization: `DPoP ${await boundToken()}` }),
      needsKey,
    ],
  ];

  itHoldsFor(refusedCredentials, 12)('is refused with', async (_name, make, refusal) => {
    const link = await open();
    await expectRefused(link, await make(), refusal);
    expect(await viewsOf(link)).toEqual([]);
  });

  it('is refused without the scope, with an expired token, and for another document', async () => {
    const link = await open();
    const other = await credential({ scope: 'accounts:read' });
    const answer = await fetch(`${link.url}/file`, { headers: other });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('insufficient_scope');
    const valid = await credential();
    suite.clock.frozen = Date.now() + 600_000;
    await expectRefused(link, valid, invalidToken).finally(() => {
      suite.clock.frozen = undefined;
    });
    const folder = await makeFolder(test(), 'Room');
    const inside = await addDocument(test(), folder.id, 'Plan.txt');
    const room = await makeRoom(test(), folder.id, { program_access: true, allow_download: true });
    const url = (id: string) => ({ url: `${room.url}/documents/${id}` });
    await expectRefused(url(document.id), valid, [404, /does not show this document/]);
    expect((await fetch(`${url(inside.id).url}/download`, { headers: valid })).status).toBe(200);
  });

  const past = () => Date.now() + 2_000;
  type Rule = readonly [name: string, options: Options, refusal: readonly [number, RegExp]];
  const refusedLinks: readonly Rule[] = [
    ['no program_access', { program_access: false }, [403, /does not allow programs/]],
    ['a password', { password: 'correct horse' }, [403, /with a password/]],
    ['an agreement', { agreement: 'Keep it.' }, [403, /with an agreement/]],
    ['a blocked address', { block_list: [email] }, [403, /does not admit this person/]],
    ['a blocked domain', { block_list: ['@example.com'] }, [403, /does not admit this person/]],
    ['other readers', { allow_list: ['bob@example.com'] }, [403, /does not admit this person/]],
  ];

  itHoldsFor(refusedLinks, 6)('is refused by a link with', async (_name, options, refusal) => {
    const link = await open(options);
    await expectRefused(link, await credential(), refusal);
    expect(await viewsOf(link)).toEqual([]);
  });

  it('is refused by links that have ended, and by unknown ones as anyone is', async () => {
    const valid = await credential();
    const ended = [410, /has expired, was revoked, or has no views left/] as const;
    const expiring = await open({ expire_time: new Date(past()).toISOString() });
    suite.clock.frozen = past() + 1_000;
    await expectRefused(expiring, valid, ended).finally(() => {
      suite.clock.frozen = undefined;
    });
    const revoked = await open();
    await callSharingApi(test(), 'DELETE', `/links/${revoked.id}`);
    await expectRefused(revoked, valid, ended);
    const bodies = new Set<string>();
    for (const headers of [{}, valid, bearer('x.y.z'), { authorization: 'Basic eA==' }]) {
      const answer = await fetch(`${suite.app.publicUrl}/s/${'0'.repeat(22)}/file`, { headers });
      const { request_id: _, ...body } = (await answer.json()) as Record<string, unknown>;
      bodies.add(JSON.stringify([answer.status, body]));
    }
    expect([...bodies]).toEqual([expect.stringMatching(/^\[404,/)]);
  });

  it('gets the bytes and ranges of a link that admits the person, in one view', async () => {
    const gates: readonly (readonly [string, Options])[] = [
      ['no gate', {}],
      ['an address', { email_required: true }],
      ['a verified address', { email_required: true, email_verification_required: true }],
      ['the person', { allow_list: [email] }],
      ['the domain', { allow_list: ['@example.com'], block_list: ['bob@example.com'] }],
      ['one view', { view_limit: 1 }],
    ];
    const failures = await findFailures(gates, async (_name, options) => {
      const link = await open(options);
      const headers = await credential();
      expect(await statusesOf(link, headers)).toEqual([200, 200, 200]);
      const range = { ...headers, range: 'bytes=0-7' };
      const part = await fetch(`${link.url}/file`, { headers: range });
      expect(part.status).toBe(206);
      expect(await part.text()).toBe(pdf.subarray(0, 8).toString());
      // Another token of the same program.
      expect(await statusesOf(link, await credential())).toEqual([200, 200, 200]);
      expect(await viewsOf(link)).toMatchObject([
        {
          ...{ email, email_verified: true, download_count: 1 },
          acting_client_id: agent.ownerId,
          acting_client_name: 'Test client',
        },
      ]);
    });
    expect(failures).toEqual([]);
  });

  it('counts as another reader than the person and other programs', async () => {
    const link = await open({ view_limit: 2, email_required: true });
    const other = await addClient(suite.app.inside.db, 'documents:read', { mayAct: [userId] });
    const third = await addClient(suite.app.inside.db, 'documents:read', { mayAct: [userId] });
    expect((await fetch(`${link.url}/file`, { headers: await credential() })).status).toBe(200);
    expect(await statusesOf(link, await credential({}, other))).toEqual([200, 200, 200]);
    expect(await statusesOf(link, await credential({}, third))).toEqual([410, 410, 410]);
    const clients = (await viewsOf(link)).map((view) => view.acting_client_id);
    expect(new Set(clients)).toEqual(new Set([agent.ownerId, other.ownerId]));
  });

  it('needs a proof for each request with a bound token', async () => {
    const link = await open();
    const token = await boundToken();
    const htu = `${link.url}/file`;
    const send = async (htm: string, method = 'GET') => {
      const dpop = await holder.prove({ htm, htu, ath: digestOf(token) });
      const headers = { authorization: `DPoP ${token}`, dpop };
      const answers = [
        await fetch(htu, { method, headers }),
        await fetch(htu, { method, headers }),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await send('GET')).toEqual([200, 401]);
    expect(await send('HEAD', 'HEAD')).toEqual([200, 401]);
    expect(await send('POST')).toEqual([401, 401]);
  });

  it('gets pages with the address of the person if the link has a watermark', async () => {
    const link = await open({ watermark: true });
    const answer = await fetch(`${link.url}/download`, { headers: await credential() });
    expect(answer.status).toBe(200);
    const text = JSON.stringify(await readPages(Buffer.from(await answer.arrayBuffer())));
    expect(text).toContain(email);
  });

  it('loses access at once when its token or the option of the link ends', async () => {
    const link = await open();
    const [token, other] = [await delegated(), await delegated()];
    expect(await statusesOf(link, bearer(token))).toEqual([200, 200, 200]);
    await revoke(token);
    expect(await statusesOf(link, bearer(token))).toEqual([401, 401, 401]);
    expect(await statusesOf(link, bearer(other))).toEqual([200, 200, 200]);
    expect((await patch(link, { program_access: false })).body).toMatchObject({
      program_access: false,
    });
    expect(await statusesOf(link, bearer(other))).toEqual([403, 403, 403]);
  });

  it('neither passes the gate of the page nor reports views', async () => {
    const link = await open({ email_required: true });
    const headers = await credential();
    const page = await fetch(link.url, { headers });
    expect(await page.text()).toContain('name="email"');
    expect(page.headers.get('set-cookie')).toBeNull();
    const body = new URLSearchParams({ visit: 'a'.repeat(16), pages: '1:5' });
    const report = await fetch(`${link.url}/view`, { method: 'POST', headers, body });
    expect(report.status).toBe(403);
    expect(await viewsOf(link)).toEqual([]);
  });
});
