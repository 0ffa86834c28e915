// Custom domains: how a workspace adds, verifies, uses and deletes them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import {
  addDomain,
  addVerifiedDomain,
  askHost,
  callDomains,
  type DomainFields,
  isAllowed,
  type Problem,
} from '../support/domain-calls.ts';
import { endWait } from '../support/ended-waits.ts';
import { freePort } from '../support/free-port.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import { addMember, credentialFor } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { findFailures } from '../support/rule.ts';
import { callSharingApi, type LinkFields, makeLink, upload } from '../support/sharing-api.ts';

const badNames = [
  ...['', 'localhost', 'Docs.example.com', 'docs.example.com.', '.example.com', 'a..example.com'],
  ...['docs.example.com:443', 'https://docs.example.com', 'docs.example.com/', '*.example.com'],
  ...['192.0.2.1', '[2001:db8::1]', '2001:db8::1', '0x7f.1', 'example.123', 'example.c'],
  ...['-a.example.com', 'a-.example.com', 'under_score.example.com', 'a b.example.com'],
  ...['münchen.example', 'xn--a.example', `${'a'.repeat(64)}.example.com`, 'u@example.com'],
  ...[`${'a.'.repeat(120)}example.com`, 'share.example.org', 'docs.share.example.org'],
];

describeFeature('custom domains', (dialect) => {
  let test: TestApp;
  let dns: DnsServer;
  beforeAll(async () => {
    dns = await startDnsServer();
    test = await startTestApp({ dialect, dnsServers: [dns.address] });
  });
  afterAll(async () => {
    await test.remove();
    await dns.close();
  });

  const verify = (id: string) =>
    callDomains<DomainFields & Problem>(test, 'POST', `/${id}:verify`, {});
  const newWorkspace = async () => (await addWorkspace(test.app.inside.db, '')).ownerId;
  const urlOf = async (id: string) =>
    (await callSharingApi<LinkFields>(test, 'GET', `/links/${id}`)).body.url;

  it('are verified by a TXT record, and then used in URLs until they are deleted', async () => {
    const link = await makeLink(test, (await upload(test, Buffer.from('text'), 'a.txt')).id);
    const slug = link.url.slice(-22);
    const name = 'docs.example.com';
    const added = await addDomain(test, name);
    expect(added).toEqual({
      id: expect.stringMatching(/^dom_[0-9A-Za-z]{22}$/),
      ...{ workspace_id: test.env.WORKSPACE_ID, name, state: 'DOMAIN_STATE_PENDING' },
      ...{ txt_name: `_latchkey.${name}`, txt_value: expect.stringMatching(/^[0-9A-Za-z]{22}$/) },
      ...{ primary: false, create_time: expect.stringMatching(/Z$/) },
      ...{ creator: expect.stringMatching(/^usr_/), creator_name: '' },
    });
    const missing = await verify(added.id);
    expect([missing.status, missing.body.detail]).toEqual([
      409,
      'The TXT record _latchkey.docs.example.com does not exist. DNS changes can take some time.',
    ]);
    dns.records.set(added.txt_name, ['v=spf1 -all', 'x'.repeat(22)]);
    expect((await verify(added.id)).body.code).toBe('conflict');
    dns.fails = true;
    expect((await verify(added.id)).body.code).toBe('unavailable');
    dns.fails = false;
    const early = await callDomains<Problem>(test, 'PATCH', `/${added.id}`, { primary: true });
    expect(early.body.code).toBe('conflict');
    expect(await isAllowed(test, name)).toBe(false);

    dns.records.set(added.txt_name, ['v=spf1 -all', added.txt_value]);
    const verified = await verify(added.id);
    expect(verified.body).toMatchObject({
      ...{ state: 'DOMAIN_STATE_VERIFIED', verify_time: expect.stringMatching(/Z$/) },
    });
    expect(await isAllowed(test, name)).toBe(true);
    expect(await isAllowed(test, `${name}\u0000`)).toBe(false);
    expect(await urlOf(link.id)).toBe(link.url);

    const primary = await callDomains(test, 'PATCH', `/${added.id}`, { primary: true });
    expect(primary.body.primary).toBe(true);
    expect(await urlOf(link.id)).toBe(`https://${name}/s/${slug}`);
    const hosts = [new URL(link.url).host, name];
    const statuses = async () =>
      Promise.all(
        hosts.map(async (host) => (await askHost(test.app.publicUrl, host, `/s/${slug}`)).status),
      );
    expect(await statuses()).toEqual([200, 200]);

    expect((await callDomains(test, 'DELETE', `/${added.id}`)).status).toBe(200);
    expect(await statuses()).toEqual([200, 404]);
    expect((await askHost(test.app.publicUrl, name, '/console')).status).toBe(404);
    expect(await urlOf(link.id)).toBe(link.url);
    expect(await isAllowed(test, name)).toBe(false);
    expect((await callDomains(test, 'GET', `/${added.id}`)).status).toBe(404);
    const { db } = test.app.inside;
    await test.app.inside.deleteOldRows();
    expect(await db.selectFrom('domains').select('name').execute()).toContainEqual({ name });
  });

  it('with these names are refused', async () => {
    const http = { host: '127.0.0.1', port: await freePort() };
    const publicUrl = 'https://share.example.org';
    const own = await startTestApp({ config: { publicUrl, http }, dialect });
    try {
      const headers = await credentialFor(own, { type: 'staff', scope: 'workspaces:write' });
      expect(
        await findFailures(badNames, async (name) => {
          const body = JSON.stringify({ name });
          const target = `/workspaces/${own.env.WORKSPACE_ID}/domains`;
          const json = { ...headers, 'content-type': 'application/json' };
          const sent = { method: 'POST', headers: json, body };
          const { status, text } = await askHost(
            `http://127.0.0.1:${http.port}`,
            'share.example.org',
            target,
            sent,
          );
          expect([status, text]).toEqual([400, expect.stringContaining('"field":"name"')]);
        }),
      ).toEqual([]);
      expect(badNames.length).toBeGreaterThan(25);
    } finally {
      await own.remove();
    }
  });

  it('belong to the workspace that first verifies them, not the one that adds them', async () => {
    const [stranger, owner] = [await newWorkspace(), await newWorkspace()];
    const name = 'wanted.example.com';
    const claimed = await addDomain(test, name, stranger);
    const again = await callDomains<Problem>(test, 'POST', '', { name }, stranger);
    expect(again.body.code).toBe('conflict');
    const { id } = await addVerifiedDomain(test, name, owner);
    dns.records.set(claimed.txt_name, [claimed.txt_value]);
    for (const action of ['verify', 'approve']) {
      const late = await callDomains<Problem>(
        test,
        'POST',
        `/${claimed.id}:${action}`,
        {},
        stranger,
      );
      expect([action, late.body.detail]).toEqual([
        action,
        'Another workspace has verified this domain.',
      ]);
    }
    expect((await callDomains(test, 'GET', `/${id}`, undefined, stranger)).status).toBe(404);
    await callDomains(test, 'DELETE', `/${id}`, undefined, owner);
    const approved = await callDomains(test, 'POST', `/${claimed.id}:verify`, {}, stranger);
    expect(approved.body.state).toBe('DOMAIN_STATE_VERIFIED');
  });

  it('answer 404 after their workspace is deleted for good, until another verifies', async () => {
    const { db, deleteOldRows } = test.app.inside;
    const [gone, next] = [await newWorkspace(), await newWorkspace()];
    const [name, pending] = ['left.example.com', 'unverified.example.com'];
    const { id } = await addVerifiedDomain(test, name, gone);
    await callDomains(test, 'PATCH', `/${id}`, { primary: true }, gone);
    await addDomain(test, pending, gone);
    const consoleStatus = async () => (await askHost(test.app.publicUrl, name, '/console')).status;
    const headers = await credentialFor(test, { type: 'staff', scope: 'workspaces:write' });
    const url = `${test.app.publicUrl}/workspaces/${gone}`;
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
    expect(await consoleStatus()).toBe(404);
    await endWait(test.app, 'workspaces', gone, Date.now());
    await deleteOldRows();

    const rows = () =>
      db.selectFrom('domains').selectAll().where('name', 'in', [name, pending]).execute();
    expect(await rows()).toEqual([
      expect.objectContaining({ name, workspace_id: '', txt_value: '', is_primary: 0 }),
    ]);
    expect([await consoleStatus(), await isAllowed(test, name)]).toEqual([404, false]);
    const taken = await addVerifiedDomain(test, name, next);
    expect(await rows()).toEqual([expect.objectContaining({ id: taken.id, workspace_id: next })]);
    expect(await isAllowed(test, name)).toBe(true);
  });

  it('are at most ten in a workspace, of which one is primary', async () => {
    const workspaceId = await newWorkspace();
    const [first, second] = await Promise.all(
      ['one.example.net', 'two.example.net'].map((name) =>
        addVerifiedDomain(test, name, workspaceId),
      ),
    );
    for (const domain of [first, second]) {
      await callDomains(test, 'PATCH', `/${domain?.id}`, { primary: true }, workspaceId);
    }
    const list = async () =>
      (await callDomains<{ domains: DomainFields[] }>(test, 'GET', '', undefined, workspaceId)).body
        .domains;
    const primary = (await list()).filter((domain) => domain.primary);
    expect(primary.map(({ name }) => name)).toEqual(['two.example.net']);
    for (let n = 3; n <= 10; n++) await addDomain(test, `n${n}.example.net`, workspaceId);
    const more = { name: 'n11.example.net' };
    const eleventh = await callDomains<Problem>(test, 'POST', '', more, workspaceId);
    expect(eleventh.body.detail).toBe('The workspace already has 10 domains.');
    expect(await list()).toHaveLength(10);
  });

  it('are managed by admins and owners, who cannot approve them', async () => {
    const workspaceId = await newWorkspace();
    const { id } = await addDomain(test, 'roles.example.com', workspaceId);
    const scope = 'workspaces:read workspaces:write';
    const statuses: Record<string, number[]> = {};
    for (const role of ['owner', 'admin', 'member'] as const) {
      const sub = await addMember(test.app.inside.db, workspaceId, role);
      const headers = await credentialFor(test, { type: 'member', scope, sub });
      const base = `${test.app.publicUrl}/workspaces/${workspaceId}/domains`;
      const send = async (method: string, route: string, body: object) => {
        const json = { ...headers, 'content-type': 'application/json' };
        const sent = { method, headers: json, body: JSON.stringify(body) };
        return (await fetch(base + route, sent)).status;
      };
      statuses[role] = [
        await send('POST', '', { name: `${role}.example.com` }),
        await send('POST', `/${id}:approve`, {}),
      ];
    }
    expect(statuses).toEqual({ owner: [201, 403], admin: [201, 403], member: [403, 403] });
  });
});
