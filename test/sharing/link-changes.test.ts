import { beforeAll, expect, it } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { startTestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import {
  callSharingApi,
  type DocumentFields,
  keyOf,
  type LinkFields,
  makeLink,
  serviceCredential,
  upload,
} from '../support/sharing-api.ts';
import { openTransports } from '../support/transports.ts';
import { useStarted, useTransports } from '../support/use-started.ts';

const { updateLink, revokeLink } = LinkService.method;

describeFeature('links', (dialect) => {
  const test = useStarted(() => startTestApp({ dialect }));
  const transports = useTransports(() => openTransports(test.app));
  let document: DocumentFields;
  beforeAll(async () => {
    document = await upload(test, Buffer.from('shared'), 'shared.bin');
  });

  it('change only in the named fields, and keep their URL', async () => {
    const link = await makeLink(test, document.id, { email_required: true, name: 'First' });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const changes: [change: Record<string, unknown>, result: Record<string, unknown>][] = [
      [{ name: 'Second' }, { name: 'Second', email_required: true }],
      [{ expire_time: later }, { expire_time: later, name: 'Second' }],
      [{ email_required: false }, { email_required: false, expire_time: later }],
      [
        { allow_download: true, emailRequired: true },
        { allow_download: true, email_required: true },
      ],
      [{ name: '' }, { name: '' }],
      [{}, { allow_download: true }],
    ];
    for (const [change, result] of changes) {
      const answer = await callSharingApi<LinkFields>(test, 'PATCH', `/links/${link.id}`, change);
      const url = link.url;
      expect(answer, JSON.stringify(change)).toMatchObject({
        status: 200,
        body: { url, ...result },
      });
    }
    const cleared = await callSharingApi<LinkFields>(test, 'PATCH', `/links/${link.id}`, {
      expire_time: null,
    });
    expect(cleared.status).toBe(200);
    expect(cleared.body).not.toHaveProperty('expire_time');
    expect((await callSharingApi(test, 'GET', `/links/${link.id}`)).body).toEqual(cleared.body);
  });

  it('change in the workspace that a caller without one names', async () => {
    const link = await makeLink(test, document.id);
    const credential = await serviceCredential(test, 'links:write');
    const body = { workspace_id: test.env.WORKSPACE_ID, name: 'By a service' };
    const answer = await callSharingApi(test, 'PATCH', `/links/${link.id}`, body, credential);
    expect(answer).toMatchObject({ status: 200, body: { name: 'By a service' } });
  });

  it('reject changes to immutable fields and to a contradictory gate', async () => {
    const link = await makeLink(test, document.id, { email_required: true });
    const bodies: [body: Record<string, unknown>, field: string][] = [
      [{ url: 'http://a/' }, 'url'],
      [{ document_id: 'doc_a' }, 'document_id'],
      [{ email_requird: false }, 'email_requird'],
      [{ password: 'x'.repeat(257) }, 'password'],
      [{ password: '7 chars' }, 'password'],
      [{ password: 1 }, 'password'],
      [{ email_required: false, email_verification_required: true }, 'email_verification_required'],
      [{ expire_time: '2001-01-01T00:00:00Z' }, 'expire_time'],
      [{ name: 'a\r\nBcc: b' }, 'name'],
      [{ update_mask: 'slug', name: 'a' }, 'update_mask'],
      [{ update_mask: 'constructor', name: 'a' }, 'update_mask'],
    ];
    for (const [body, field] of bodies) {
      const answer = await callSharingApi(test, 'PATCH', `/links/${link.id}`, body);
      expect(answer, JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { errors: [{ field }] },
      });
    }
    expect((await callSharingApi(test, 'GET', `/links/${link.id}`)).body).toEqual(link);
  });

  it('change their gate on every transport, but require verification for an address', async () => {
    for (const transport of transports) {
      const link = await makeLink(test, document.id);
      const change = (fields: Record<string, unknown>, paths: string[]) =>
        transport.call(
          updateLink,
          // Over HTTP the fields of the body are the mask.
          {
            linkId: link.id,
            ...fields,
            ...(transport.name === 'http' ? {} : { updateMask: { paths } }),
          },
          keyOf(test),
        );
      const early = await change({ emailVerificationRequired: true }, [
        'email_verification_required',
      ]);
      expect(early, transport.name).toMatchObject({
        ok: false,
        error: { code: 'invalid_argument', fields: ['email_verification_required'] },
      });
      const closed = await change(
        { emailRequired: true, emailVerificationRequired: true, password: 'open sesame' },
        ['email_required', 'email_verification_required', 'password'],
      );
      const gate = { emailRequired: true, emailVerificationRequired: true, passwordRequired: true };
      expect(closed, transport.name).toMatchObject({ ok: true, message: { link: gate } });

      const body = { email_required: false };
      const halfOpen = await callSharingApi(test, 'PATCH', `/links/${link.id}`, body);
      expect(halfOpen).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'email_required' }] },
      });
      const kept = (await callSharingApi(test, 'GET', `/links/${link.id}`)).body;
      expect(kept).toMatchObject({ email_required: true, email_verification_required: true });
      const open = { ...body, email_verification_required: false, password: '' };
      const opened = await callSharingApi(test, 'PATCH', `/links/${link.id}`, open);
      const changed = { etag: expect.any(String), update_time: expect.any(String) };
      expect(opened).toMatchObject({
        ...{ status: 200, body: { ...link, ...changed, email_required: false } },
      });
      expect((await fetch(link.url)).status).toBe(200);
    }
  });

  it('never return the hash of their password', async () => {
    const link = await makeLink(test, document.id, { password: 'open sesame' });
    await callSharingApi(test, 'PATCH', `/links/${link.id}`, { password: 'another one' });
    const { db } = test.app.inside;
    const row = await db
      .selectFrom('links')
      .select('password_hash')
      .where('id', '=', link.id)
      .executeTakeFirstOrThrow();
    expect(row.password_hash).toMatch(/^\$argon2id\$/);
    const outputs = [
      await test.logText(),
      JSON.stringify(await callSharingApi(test, 'GET', '/links')),
      JSON.stringify(await callSharingApi(test, 'GET', `/links/${link.id}`)),
      JSON.stringify(await db.selectFrom('audit_events').selectAll().execute()),
      await (await fetch(link.url)).text(),
    ];
    for (const text of outputs) expect(text).not.toMatch(/argon2|sesame|another one/);
  });

  it('stay revoked', async () => {
    for (const transport of transports) {
      const link = await makeLink(test, document.id);
      const linkId = link.id;

      expect(await transport.call(revokeLink, { linkId }, keyOf(test))).toMatchObject({ ok: true });

      const revoked = (await callSharingApi<LinkFields>(test, 'GET', `/links/${linkId}`)).body;
      expect(revoked.revoke_time, transport.name).toMatch(/Z$/);
      expect((await fetch(link.url)).status).toBe(410);
      expect(await transport.call(revokeLink, { linkId }, keyOf(test))).toMatchObject({ ok: true });
      expect((await callSharingApi(test, 'GET', `/links/${linkId}`)).body).toEqual(revoked);
      const change = await transport.call(updateLink, { linkId, name: 'Back' }, keyOf(test));
      expect(change, transport.name).toMatchObject({ ok: false, error: { code: 'conflict' } });
      expect((await callSharingApi(test, 'GET', `/links/${linkId}`)).body).toEqual(revoked);
    }
    const link = await makeLink(test, document.id);
    const over = await callSharingApi(test, 'DELETE', `/links/${link.id}`);
    expect(over).toMatchObject({ status: 200, body: {} });
  });
});
