// No secret reaches a log, and the database holds digests only. A tour calls every transport, with
// successes and failures.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it, vi } from 'vitest';
import { ClientService } from '../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../gen/latchkey/identity/v1/customer_pb.js';
import { IssuanceService } from '../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../gen/latchkey/identity/v1/verification_pb.js';
import { DocumentService } from '../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../gen/latchkey/sharing/v1/link_pb.js';
import { newId } from '../src/base/crypto/ids.ts';
import { describeApp, type Suite } from './support/app-suite.ts';
import { allRows, auditEventsOf } from './support/audit-rows.ts';
import { mistype, unknownCredential, wrongSecret } from './support/invalid-credentials.ts';
import { managerCredential, messageOf } from './support/manager-calls.ts';
import type { TransportName } from './support/matrix.ts';
import { callMethod } from './support/method-calls.ts';
import { addClient, addCustomer } from './support/owner-rows.ts';
import { transportNames } from './support/transports.ts';
import { useSessionSecrets, useUserSecrets } from './support/used-secrets.ts';

const { issueToken, exchangeApiKey } = IssuanceService.method;
const { verifyToken, revokeToken } = VerificationService.method;
const { createLink } = LinkService.method;
const { createClient, createClientSecret, rotateClientSecret } = ClientService.method;
const { createCustomer, createApiKey, rotateApiKey } = CustomerService.method;

describeApp('written data', (suite) => {
  let tour: Tour;
  let files: Buffer[] = [];
  beforeAll(async () => {
    tour = new Tour(suite);
    for (const transport of transportNames) {
      await tour.tokens(transport);
      const keep = (secret: string) => tour.keep(secret);
      for (const code of await useSessionSecrets(suite, transport, keep)) tour.codes.add(code);
      await tour.documents(transport);
      await tour.management(transport);
      await useUserSecrets(suite, transport, keep);
    }
    await tour.oddRequests();
    await tour.sharedLink();
    // The write-ahead log, too: a stop would merge it into the database.
    const names = suite.dialect === 'sqlite' ? ['latchkey.db', 'latchkey.db-wal'] : [];
    await tour.recorded();
    files = await Promise.all(names.map((name) => readFile(`${suite.testApp.dataDir}/${name}`)));
  });

  it('in the log has no value of a field of the wrong type', async () => {
    const response = await fetch(`${suite.app.publicUrl}/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"client_id":"c","client_secret":4815162342108}',
    });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('4815162342108');
    const text = await suite.testApp.logText();
    expect(text).toContain('"code":"invalid_argument"');
    expect(text).not.toContain('4815162342108');
  });

  it('in the audit log has no secret that was used', async () => {
    const events = await suite.app.inside.db.selectFrom('audit_events').selectAll().execute();
    const actions = new Set(events.map(({ action }) => action));
    for (const action of ['IssuanceService.IssueToken', 'VerificationService.RevokeToken']) {
      expect(actions).toContain(action);
    }
    for (const secret of tour.secrets) {
      expect(JSON.stringify(events)).not.toContain(secret);
    }
  });

  it('in the database has only the secrets that must be readable', async () => {
    const rows = (await allRows(suite.app.inside.db)).join('\n');
    // The search does find readable values: a link's URL, and the email address of a viewer.
    expect(tour.readable.size).toBe(2);
    for (const secret of tour.secrets) {
      expect(rows.includes(secret), secret.slice(0, 8)).toBe(tour.readable.has(secret));
      const inFile = files.some((bytes) => bytes.includes(secret));
      expect(inFile, secret.slice(0, 8)).toBe(files.length > 0 && tour.readable.has(secret));
    }
  });

  it('in the log has no secret that was used, and a request id in every line', async () => {
    await tour.fault();

    const text = await suite.testApp.logText();
    const lines = text.split('\n').filter((line) => line !== '');
    // The tour was logged: each transport, successes and each kind of failure.
    for (const transport of transportNames) expect(text).toContain(`"transport":"${transport}"`);
    for (const code of tour.codes) expect(text).toContain(`"code":"${code}"`);
    expect(tour.secrets.size).toBeGreaterThan(30);
    for (const secret of tour.secrets) {
      expect(text.includes(secret), `${secret.slice(0, 8)}… was logged`).toBe(false);
    }
    const [start, ...calls] = lines;
    expect(start).toContain('signs tokens with Ed25519');
    for (const line of calls) {
      expect(JSON.parse(line), line).toMatchObject({ request_id: expect.stringMatching(/./) });
    }
  });
});

class Tour {
  readonly secrets = new Set<string>();
  /** The secrets that the database must store in readable form. */
  readonly readable = new Set<string>();
  readonly codes = new Set<string>(['ok']);
  readonly #suite: Suite;

  constructor(suite: Suite) {
    this.#suite = suite;
    const { env } = suite.testApp;
    for (const name of [
      'CLIENT_SECRET',
      'CUSTOMER_API_KEY',
      'API_KEY',
      'STAFF_PASSWORD',
    ] as const) {
      this.keep(env[name]);
    }
  }

  /** Remembers a secret, and the part of it that is secret alone. */
  keep(secret: string): string {
    if (secret.length < 8) throw new Error('too short for a secret');
    this.secrets.add(secret);
    if (secret.startsWith('lk_')) this.secrets.add(secret.slice(29));
    if (secret.startsWith('eyJ')) this.secrets.add(secret.slice(secret.lastIndexOf('.') + 1));
    return secret;
  }

  async tokens(name: TransportName): Promise<void> {
    const { app } = this.#suite;
    const transport = this.#suite.transport(name);
    const client = await addClient(app.inside.db, 'tokens:read tokens:write');
    const customer = await addCustomer(app.inside.db, 'accounts:read');
    const id = { clientId: client.ownerId, scope: 'tokens:read tokens:write' };
    const good = await transport.call(issueToken, { ...id, clientSecret: this.keep(client.text) });
    const exchanged = await transport.call(exchangeApiKey, { apiKey: this.keep(customer.text) });
    if (!good.ok || !exchanged.ok) throw new Error('no token was issued');
    const token = this.keep(good.message.accessToken);
    this.keep(exchanged.message.accessToken);
    const authorization = `Bearer ${token}`;

    for (const clientSecret of [
      unknownCredential('cs'),
      wrongSecret('cs', client),
      mistype(client.text),
      'correct horse battery staple',
      `${'long'.repeat(63)}${randomBytes(8).toString('hex')}`,
    ]) {
      const answer = await transport.call(issueToken, {
        ...id,
        clientSecret: this.keep(clientSecret),
      });
      if (!answer.ok) this.codes.add(answer.error.code);
    }
    for (const bad of [`${token}x`, token.slice(0, -2), unknownCredential('wk'), customer.text]) {
      const credential = { authorization: `Bearer ${this.keep(bad)}` };
      const answer = await transport.call(verifyToken, { token: this.keep(bad) }, credential);
      if (!answer.ok) this.codes.add(answer.error.code);
      await transport.call(verifyToken, { token: bad }, { authorization });
    }
    await transport.call(revokeToken, { token }, { authorization });
    await transport.call(verifyToken, { token }, { authorization });
  }

  async documents(name: TransportName): Promise<void> {
    const { app, testApp } = this.#suite;
    const authorization = `Bearer ${testApp.env.API_KEY}`;
    for (const method of DocumentService.methods) {
      const { code } = await callMethod(app, name, { method, authorization });
      this.codes.add(code);
    }
    const password = this.keep(`correct horse ${randomBytes(8).toString('hex')}`);
    const request = { documentId: 'none', emailRequired: true, password };
    const answer = await this.#suite.transport(name).call(createLink, request, { authorization });
    if (!answer.ok) this.codes.add(answer.error.code);
  }

  /** Secrets that are generated and shown once. */
  async management(name: TransportName): Promise<void> {
    const credential = await managerCredential(this.#suite.app, 'clients:write customers:write');
    const call: ReturnType<Suite['transport']>['call'] = (method, request) =>
      this.#suite.transport(name).call(method, request, credential);
    const made = messageOf(await call(createClient, { name: 'Ledger' }));
    this.keep(made.clientSecret);
    const clientId = made.client?.id ?? '';
    for (const method of [createClientSecret, rotateClientSecret]) {
      this.keep(messageOf(await call(method, { clientId })).clientSecret);
    }
    const { customer } = messageOf(await call(createCustomer, { name: 'Acme' }));
    const request = { customerId: customer?.id ?? '', scopes: ['payments:read'] };
    const { key, apiKey } = messageOf(await call(createApiKey, request));
    this.keep(apiKey);
    const old = { ...request, keyId: key?.id ?? '' };
    this.keep(messageOf(await call(rotateApiKey, old)).apiKey);
  }

  /** Secrets in places where they do not belong. */
  async oddRequests(): Promise<void> {
    const { app, testApp } = this.#suite;
    const key = this.keep(unknownCredential('ck'));
    const headers = { 'content-type': 'application/json' };
    const basic = this.keep(Buffer.from(`cli_x:${unknownCredential('cs')}`).toString('base64'));
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const requests: [string, RequestInit][] = [
      ['/tokens', { method: 'POST', headers: form, body: `client_secret=${key}&client_id=x` }],
      ['/tokens', { method: 'POST', headers: form, body: `grant_type=${key}&${key}=${key}` }],
      ['/tokens', { method: 'POST', headers: { ...form, authorization: `Basic ${basic}` } }],
      ['/tokens', { method: 'POST', headers: { ...form, authorization: `Basic ${basic}%` } }],
      [`/tokens?client_secret=${key}`, { method: 'POST', headers, body: '{}' }],
      [`/nowhere?api_key=${key}`, {}],
      [
        '/tokens',
        {
          method: 'POST',
          headers,
          body: JSON.stringify({ client_id: key, client_secret: key, scope: 'accounts:read' }),
        },
      ],
      [`/s/${this.keep(randomBytes(12).toString('hex').slice(0, 22))}?key=${key}`, {}],
      ['/tokens', { method: 'POST', headers, body: `{"client_secret":["${key}"]}` }],
      ['/tokens', { method: 'POST', headers, body: `{"client_secret":"${key}` }],
      ['/tokens', { method: 'POST', headers, body: JSON.stringify({ [key]: key }) }],
      ['/tokens', { method: 'POST', headers: { ...headers, authorization: `Basic ${basic}` } }],
      ['/api/v1/links', { headers: { authorization: `Basic ${basic}` } }],
      ['/api/v1/links', { headers: { authorization: testApp.env.API_KEY } }],
      ['/api/v1/links', { headers: { cookie: `session=${key}` } }],
      [
        '/latchkey.identity.v1.IssuanceService/IssueToken',
        {
          method: 'POST',
          headers,
          body: `{"clientSecret":["${key}"]}`,
        },
      ],
    ];
    for (const [path, init] of requests) await (await fetch(app.publicUrl + path, init)).text();
  }

  /** Passes a link's gate, with its cookie and an email address. */
  async sharedLink(): Promise<void> {
    const { app, testApp } = this.#suite;
    const authorization = `Bearer ${testApp.env.API_KEY}`;
    const form = new FormData();
    form.set('file', new Blob(['%PDF-1.7']), 'terms.pdf');
    const headers = { authorization };
    const documents = `${app.publicUrl}/api/v1/documents`;
    const uploaded = await fetch(documents, { method: 'POST', headers, body: form });
    const { id: documentId } = (await uploaded.json()) as { id: string };
    const request = { documentId, emailRequired: true };
    const link = await this.#suite.transport('http').call(createLink, request, { authorization });
    if (!link.ok) throw new Error(`no link was made: ${link.error.code}`);
    const url = link.message.link?.url ?? '';
    this.readable.add(this.keep(url.slice(url.lastIndexOf('/') + 1)));
    const email = this.keep(`reader.${randomBytes(6).toString('hex')}@example.com`);
    this.readable.add(email);

    const body = new URLSearchParams({ email });
    const gate = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    const [cookie = ''] = (gate.headers.get('set-cookie') ?? '').split(';');
    this.keep(cookie.slice(cookie.indexOf('=') + 1));
    const page = await fetch(url, { headers: { cookie } });
    expect(page.status).toBe(200);
    const report = new URLSearchParams({ visit: 'a'.repeat(16), pages: '0:0' });
    const init = { method: 'POST', headers: { cookie }, body: report };
    expect((await fetch(`${url}/view`, init)).status).toBe(204);
    const file = await fetch(`${url}/file`, { headers: { cookie } });
    expect(file.status).toBe(200);
    expect((await fetch(`${url}/file`, { headers: { cookie: `${cookie}x` } })).status).toBe(403);
    await Promise.all([page.text(), file.text()]);
  }

  /** Waits until the audit log has all failures up to now: they are written in order. */
  async recorded(): Promise<void> {
    const clientId = newId('cli', randomBytes);
    const request = { clientId, clientSecret: 'x', scope: 'accounts:read' };
    await this.#suite.transport('grpc').call(issueToken, request, { requestId: clientId });
    const { db } = this.#suite.app.inside;
    const isThere = async () => expect(await auditEventsOf(db, clientId)).toHaveLength(1);
    await vi.waitFor(isThere, { timeout: 10_000 });
  }

  /** The error of a failed query is logged; the values of the query must not be. */
  async fault(): Promise<void> {
    const { app } = this.#suite;
    const secret = this.keep(unknownCredential('cs'));
    await app.inside.db.schema.dropTable('credentials').execute();
    for (const name of transportNames) {
      const request = { clientId: 'cli_x', clientSecret: secret, scope: 'accounts:read' };
      const answer = await this.#suite.transport(name).call(issueToken, request);
      if (!answer.ok) this.codes.add(answer.error.code);
    }
    expect(this.codes).toContain('internal');
  }
}
