// Requests under the host name of a custom domain: what is served there.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAppPair } from '../support/app-pair.ts';
import {
  addDomain,
  addVerifiedDomain,
  askHost,
  callDomains,
  type HostAnswer,
  type HostRequest,
} from '../support/domain-calls.ts';
import { addDomainRow } from '../support/domain-rows.ts';
import { lastCode, mailsOf } from '../support/gate-visitor.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import { addWorkspace, changeAsOtherProcess } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { type LinkFields, makeLink, makePng, upload } from '../support/sharing-api.ts';
import { openHttp2, startTlsApp } from '../support/tls-app.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const name = 'docs.example.com';
const otherName = 'other.example.com';

const slugOf = ({ url }: LinkFields) => url.slice(-22);

/** `{…}` in a target stands for a value that the test knows. */
const own = '/s/{own}';
const foreign = '/s/{foreign}';
const getJwks = '/latchkey.identity.v1.VerificationService/GetJwks';

type HostCase = [status: number, host: string, target: string, request?: HostRequest];

const served: HostCase[] = [
  ...[name, `${name}:8443`, 'DOCS.Example.COM', `${name}.`, `${name}.:443`].map(
    (host): HostCase => [200, host, own],
  ),
  ...[`http://${name}${own}`, `https://DOCS.example.com:443${own}`].map(
    (target): HostCase => [200, '{public}', target],
  ),
  [200, name, `${own}?query=x`],
  [200, name, own, { method: 'HEAD' }],
  [403, name, `${own}/file`],
  [403, name, `${own}/download`],
  [404, name, `${own}/documents/doc_x`],
  [405, name, own, { method: 'DELETE' }],
  [200, name, '{asset}'],
  [200, name, '/logos/own-logo'],
  [200, otherName, foreign],
];

const refused: HostCase[] = [
  ...[foreign, `${foreign}/file`, `${foreign}/download`, '/logos/foreign-logo', '/logos/%00'],
  ...['/', '/console', '/console/', '/console/sign-in', '/docs', '/errors', '/openapi.json'],
  ...['/api/v1/documents', '/api/v1/links', '/workspaces', '/users', '/audit-events'],
  ...['/.well-known/jwks.json', '/.well-known/receipts.json', getJwks],
  ...['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'],
  ...['/internal/domain-allowed', '/metrics', '/s', '/s/', `${own}/nothing`, '/favicon.ico'],
  ...[`${getJwks}?encoding=json&message=%7B%7D`, '/S/{own}', '//s/{own}'],
].map((target): HostCase => [404, name, target]);

const refusedPosts: HostCase[] = [
  ...['/tokens', '/tokens/verify', '/tokens/api-key', '/sessions', '/sessions/refresh', getJwks],
  ...['/oauth2/introspect', '/oauth2/device', '/api/v1/links', '/invitations:accept', '/console'],
].map((target): HostCase => {
  const headers = { 'content-type': 'application/json' };
  return [404, name, target, { method: 'POST', headers, body: '{}' }];
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const view: HostRequest = {
  ...{ method: 'POST', headers: form, body: `visit=${'a'.repeat(16)}&pages=0%3A0` },
};
const viewReports: HostCase[] = [
  [403, name, `${own}/view`, view],
  [404, name, `${foreign}/view`, view],
  [404, name, foreign, { ...view, body: 'email=a%40b.example' }],
];

const forwarded = (host: string) => ({
  headers: { 'x-forwarded-host': host, forwarded: `host=${host}` },
});

const confused: HostCase[] = [
  [404, otherName, own],
  [404, '{public}', `http://${name}/console`],
  [404, '{public}', `http://${name}${foreign}`],
  [200, name, 'http://{public}/console'],
  [400, name, `http://user@${name}${own}`],
  [404, name, '/console', forwarded('{public}')],
  [404, name, foreign, forwarded('{public}')],
  [200, '{public}', '/console', forwarded(name)],
  [200, '{public}', foreign, forwarded(name)],
  // Neither the own host nor a verified domain.
  ...['unknown.example.com', 'pending.example.com', `x.${name}`, 'example.com'].flatMap(
    (host): HostCase[] => [
      [200, host, '/console'],
      [200, host, '/.well-known/jwks.json'],
      [200, host, foreign],
    ],
  ),
];

describeFeature('under a custom domain', (dialect) => {
  let test: TestApp;
  let link: LinkFields;
  let values: Record<string, string>;
  let openedOn: (target: string, request?: HostRequest) => Promise<HostAnswer>;
  beforeAll(async () => {
    test = await startTestApp({ dialect });
    const { db } = test.app.inside;
    link = await makeLink(test, (await upload(test, Buffer.from('text'), 'a.txt')).id);
    const { ownerId, text } = await addWorkspace(db, 'documents:write links:write');
    const stranger = { ...test, env: { ...test.env, API_KEY: text } };
    const document = await upload(stranger, Buffer.from('other'), 'b.txt');
    const theirs = await makeLink(stranger, document.id);
    await addVerifiedDomain(test, name);
    await addVerifiedDomain(test, otherName, ownerId);
    await addDomain(test, 'pending.example.com');
    for (const [id, workspace_id] of [
      ['own-logo', test.env.WORKSPACE_ID],
      ['foreign-logo', ownerId],
    ] as const) {
      const logo = {
        id,
        workspace_id,
        content_type: 'image/png',
        content: makePng(1, 1).toString('base64'),
      };
      await db.insertInto('logos').values(logo).execute();
    }
    const { host } = new URL(test.app.publicUrl);
    openedOn = (target, request) => askHost(test.app.publicUrl, name, target, request);
    const page = await openedOn(`/s/${slugOf(link)}`);
    const asset = /href="(\/assets\/[^"]+\.css)"/.exec(page.text)?.[1] ?? '';
    values = { own: slugOf(link), foreign: slugOf(theirs), public: host, asset };
  });
  afterAll(() => test.remove());

  const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, key) => values[key] ?? '');

  itHoldsFor([...served, ...refused, ...refusedPosts, ...viewReports, ...confused], 80)(
    'only the links of the workspace are served, whatever form the host has',
    async (status, host, target, request = {}) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers ?? {}).map(([key, value]) => [key, filled(value)]),
      );
      const sent = { ...request, headers };
      const answer = await askHost(test.app.publicUrl, filled(host), filled(target), sent);
      expect(answer.status).toBe(status);
    },
  );

  it('an unknown path shows browsers a page that does not lead to the console', async () => {
    const { status, text } = await openedOn('/', { headers: { accept: 'text/html' } });
    expect([status, text.includes('Page not found'), text.includes('/console')]).toEqual([
      ...[404, true, false],
    ]);
  });

  it('the gate works with its cookies, mails and addresses', async () => {
    await changeAsOtherProcess(test.app.inside.db, (trx) =>
      trx
        .updateTable('workspaces')
        .set({ logo_id: 'own-logo' })
        .where('id', '=', test.env.WORKSPACE_ID)
        .execute(),
    );
    const document = await upload(test, Buffer.from('secret'), 'secret.txt');
    const gated = await makeLink(test, document.id, {
      ...{ email_required: true, email_verification_required: true },
    });
    const target = `/s/${slugOf(gated)}`;
    const cookies = new Map<string, string>();
    const send = async (fields: Record<string, string>, origin: Record<string, string>) => {
      const headers = {
        ...form,
        cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; '),
        ...origin,
      };
      const body = new URLSearchParams(fields).toString();
      const answer = await openedOn(target, { method: 'POST', headers, body });
      for (const line of answer.headers.getSetCookie()) {
        expect(line).toMatch(new RegExp(`; Path=${target}; HttpOnly; Secure; SameSite=Lax$`));
        const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(key, value);
      }
      return answer;
    };
    const email = 'reader@example.com';
    const origins: [number, Record<string, string>][] = [
      [403, { origin: test.app.publicUrl }],
      [403, { origin: `https://${otherName}` }],
      [403, { origin: `https://${name}`, 'sec-fetch-site': 'same-site' }],
      [303, { origin: `https://${name}` }],
    ];
    for (const [status, headers] of origins) {
      expect([headers, (await send({ email }, headers)).status]).toEqual([headers, status]);
    }
    const asked = await openedOn(target);
    expect(asked.text).toContain(
      `<meta property="og:image" content="https://${name}/logos/own-logo">`,
    );
    expect(asked.headers.get('content-security-policy')).toContain("form-action 'self'");
    const crossed = await askHost(test.app.publicUrl, values.public ?? '', target, {
      method: 'POST',
      headers: { origin: `https://${name}`, ...form },
      body: 'email=a%40b.example',
    });
    expect(crossed.status).toBe(403);

    const code = await lastCode(test, email);
    const passed = await send({ code }, { 'sec-fetch-site': 'same-origin' });
    expect([passed.status, passed.headers.get('location')]).toEqual([303, target]);
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const shown = await openedOn(target, { headers: { cookie } });
    expect(shown.text).toContain('id="viewer"');
    const file = await openedOn(`${target}/file`, { headers: { cookie } });
    expect([file.status, file.text]).toEqual([200, 'secret']);

    const domains = await callDomains<{ domains: { id: string; name: string }[] }>(test, 'GET');
    const id = domains.body.domains.find((domain) => domain.name === name)?.id;
    await callDomains(test, 'PATCH', `/${id}`, { primary: true });
    await makeLink(test, document.id, { recipient: 'bob@example.com', mail_recipient: true });
    const mailed = async () => (await mailsOf(test)).find(({ to }) => to === 'bob@example.com');
    await expect.poll(mailed, { timeout: 30_000 }).toBeDefined();
    expect((await mailed())?.text).toContain(`https://${name}/s/`);
    cookies.clear();
    await send({ email: 'eve@example.com' }, {});
    const codeMail = (await mailsOf(test)).find(({ to }) => to === 'eve@example.com');
    expect(codeMail?.text).toContain(`https://${name}${target}`);
  });

  it('other processes notice within a second that a domain was verified or deleted', async () => {
    const pair = await startAppPair(dialect, {});
    try {
      const [first] = pair.apps;
      const document = await upload(first, Buffer.from('text'), 'a.txt');
      const path = `/s/${slugOf(await makeLink(first, document.id))}`;
      const read = async () => {
        const targets = [path, '/console'];
        const answers = targets.map((target) => askHost(pair.origins[1], name, target));
        return (await Promise.all(answers)).map(({ status }) => status);
      };
      expect(await read()).toEqual([200, 200]);
      const { db } = first.app.inside;
      const { id } = await addVerifiedDomain(first, name);
      await expectWithinOneSecond(db, read, [200, 404]);
      await callDomains(first, 'DELETE', `/${id}`);
      await expectWithinOneSecond(db, read, [404, 404]);
      // A proxy has no certificate for the domain any more.
      pair.clock.now += 91 * 24 * 60 * 60_000;
      await first.app.inside.deleteOldRows();
      await expectWithinOneSecond(db, read, [200, 200]);
    } finally {
      await pair.remove();
    }
  });
});

it('the :authority of HTTP/2 names the domain', async () => {
  const test = await startTlsApp();
  const client = openHttp2(test.app.publicUrl, test.files.authority.certificate);
  try {
    const { db } = test.app.inside;
    await addDomainRow(db, test.env.WORKSPACE_ID, { name, verify_time: 1 });
    const statusOf = async (target: string, authority: string) =>
      (await client.send(target, { headers: { ':authority': authority } })).status;
    const statuses = async () => [
      await statusOf('/console', `${name}:443`),
      await statusOf(`${getJwks}?encoding=json&message=%7B%7D`, name),
      await statusOf('/console', 'localhost'),
    ];
    await expectWithinOneSecond(db, statuses, [404, 404, 200]);
  } finally {
    client.close();
    await test.remove();
  }
});
