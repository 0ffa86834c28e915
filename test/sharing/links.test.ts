import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type CreateLinkRequestSchema,
  LinkService,
} from '../../gen/latchkey/sharing/v1/link_pb.js';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { openLink } from '../support/link-views.ts';
import { describeFeature } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  callSharingApi,
  type DocumentFields,
  keyOf,
  type LinkFields,
  makeLink,
  makeZip,
  otherWorkspace,
  serviceCredential,
  upload,
} from '../support/sharing-api.ts';
import { openTransports, type Transport } from '../support/transports.ts';

const { createLink, listLinks, getLink, updateLink, revokeLink, listLinkViews } =
  LinkService.method;

describeFeature('links', (dialect) => {
  let test: TestApp;
  let transports: Transport[];
  let document: DocumentFields;
  beforeAll(async () => {
    test = await startTestApp({ dialect });
    transports = openTransports(test.app);
    document = await upload(test, Buffer.from('shared'), 'shared.bin');
    await otherWorkspace(test);
  });
  afterAll(async () => {
    for (const transport of transports) transport.close();
    await test.remove();
  });

  async function countLinks(): Promise<number> {
    return (await test.app.inside.db.selectFrom('links').select('id').execute()).length;
  }

  it('are created over HTTP with every field, and their URL does not contain the id', async () => {
    const body = { document_id: document.id, email_required: true };

    const answer = await callSharingApi<LinkFields>(test, 'POST', '/links', body);

    expect(answer.status).toBe(201);
    const { id, url } = answer.body;
    expect(answer.body).toEqual({
      id,
      url,
      document_id: document.id,
      document_name: 'shared.bin',
      email_required: true,
      workspace_id: test.env.WORKSPACE_ID,
      name: '',
      pinned_version: 0,
      recipient: '',
      folder_id: '',
      folder_name: '',
      entry_rules: [],
      agreement: '',
      agreement_sha256: '',
      watermark: false,
      program_access: false,
      password_required: false,
      email_verification_required: false,
      allow_download: false,
      view_count: 0,
      allow_list: [],
      block_list: [],
      notify: 'NOTIFY_UNSPECIFIED',
      show_title: true,
      warnings: [],
      create_time: expect.stringMatching(/^\d{4}-.*Z$/),
      update_time: expect.stringMatching(/Z$/),
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
      creator: expect.any(String),
      creator_name: '',
    });
    expect(id).toMatch(/^lnk_[0-9A-Za-z]{22}$/);
    expect(url).toMatch(new RegExp(`^${test.app.publicUrl}/s/[0-9A-Za-z]{22}$`));
    expect(url).not.toContain(id.slice('lnk_'.length));
    expect(answer.headers.get('location')).toBe(`/api/v1/links/${id}`);
    expect((await callSharingApi(test, 'GET', `/links/${id}`)).body).toEqual(answer.body);
  });

  it('have a warning if the viewer cannot show the document and the download is off', async () => {
    const archive = await upload(test, makeZip(), 'files.zip');
    const made = await makeLink(test, archive.id, { allow_download: true });
    const path = `/links/${made.id}`;

    const changed = await callSharingApi(test, 'PATCH', path, { allow_download: false });

    expect(made).toMatchObject({ warnings: [] });
    expect(changed.body).toMatchObject({ warnings: ['LINK_WARNING_NOTHING_TO_OPEN'] });
  });

  it('are created the same way through every transport, each with a separate URL', async () => {
    const expireTime = timestampFromMs(Date.now() + 60_000);
    const fields = {
      documentId: document.id,
      name: 'For them',
      emailRequired: true,
      emailVerificationRequired: true,
      allowDownload: true,
      expireTime,
    };
    const urls = new Set<string>();
    for (const transport of transports) {
      const request = { ...fields, password: 'open sesame' };
      const answer = await transport.call(createLink, request, keyOf(test));
      const link = { ...fields, passwordRequired: true };
      expect(answer, transport.name).toMatchObject({ ok: true, message: { link } });
      if (answer.ok) urls.add(answer.message.link?.url ?? '');
    }
    expect(urls.size).toBe(transports.length);
  });

  type Refused = Omit<MessageInitShape<typeof CreateLinkRequestSchema>, '$typeName'>;
  const refusals: [what: string, request: Refused, code: string, fields: string[]][] = [
    ['no document', { documentId: '' }, 'invalid_argument', ['document_id']],
    ['an unknown document', { documentId: 'doc_unknown' }, 'not_found', []],
    ['a password of 7 characters', { password: '7 chars' }, 'invalid_argument', ['password']],
    ['a password of 7 emoji', { password: '🔑🗝🚪🏠🌍🌙🌞' }, 'invalid_argument', ['password']],
    ['a long password', { password: 'x'.repeat(257) }, 'invalid_argument', ['password']],
    [
      'verification of an address that is not required',
      { emailVerificationRequired: true },
      'invalid_argument',
      ['email_verification_required'],
    ],
    [
      'an expiry in the past',
      { expireTime: timestampFromMs(Date.now() - 1000) },
      'invalid_argument',
      ['expire_time'],
    ],
    ['an expiry in 1970', { expireTime: timestampFromMs(0) }, 'invalid_argument', ['expire_time']],
    ['a long name', { name: 'x'.repeat(256) }, 'invalid_argument', ['name']],
    ['a name with a NUL', { name: 'a\u0000b' }, 'invalid_argument', ['name']],
    ['a name of two lines', { name: 'a\r\nBcc: b' }, 'invalid_argument', ['name']],
    ['another workspace', { workspaceId: 'ws_other' }, 'forbidden', []],
  ];
  itHoldsFor(refusals, 12)('are not created with a bad field', async (_, request, code, fields) => {
    const before = await countLinks();
    for (const transport of transports) {
      const whole = { documentId: document.id, ...request };
      const answer = await transport.call(createLink, whole, keyOf(test));
      expect(answer, transport.name).toMatchObject({ ok: false, error: { code, fields } });
    }
    expect(await countLinks()).toBe(before);
  });

  it('are not created with an invalid or contradictory gate', async () => {
    const before = await countLinks();
    const bodies: [body: Record<string, unknown>, field: string][] = [
      [{ email_requird: true }, 'email_requird'],
      [{ emailrequired: true }, 'emailrequired'],
      [{ email_required: 'true' }, 'email_required'],
      [{ email_required: 1 }, 'email_required'],
      [{ email_required: true, emailRequired: false }, 'email_required'],
      [{ expire_time: 'tomorrow' }, 'expire_time'],
      [{ expire_time: 1_900_000_000 }, 'expire_time'],
      [{ slug: 'a' }, 'slug'],
      [{ url: 'http://a/' }, 'url'],
    ];
    for (const [more, field] of bodies) {
      const answer = await callSharingApi(test, 'POST', '/links', {
        document_id: document.id,
        ...more,
      });
      expect(answer, JSON.stringify(more)).toMatchObject({
        status: 400,
        body: { code: 'invalid_argument', errors: [{ field }] },
      });
    }
    const inQuery = await callSharingApi(test, 'POST', '/links?email_required=true', {
      document_id: document.id,
    });
    expect(inQuery.status).toBe(400);
    expect(await countLinks()).toBe(before);
  });

  it('to documents of another workspace are refused as for unknown ones', async () => {
    const credential = await serviceCredential(test, 'links:write');
    const before = await countLinks();
    for (const transport of transports) {
      const request = { documentId: document.id, workspaceId: 'ws_other' };
      const answer = await transport.call(createLink, request, credential);
      expect(answer, transport.name).toMatchObject({ ok: false, error: { code: 'not_found' } });
    }
    expect(await countLinks()).toBe(before);
  });

  it('list who has viewed the document through them', async () => {
    const link = await makeLink(test, document.id, { email_required: true });
    await openLink(link, 'first@example.com');
    await openLink(link, 'Second@Example.com ');
    for (const transport of transports) {
      const answer = await transport.call(listLinkViews, { linkId: link.id }, keyOf(test));
      if (!answer.ok) throw new Error(answer.error.message);
      const emails = answer.message.views.map(({ email }) => email).sort();
      expect(emails, transport.name).toEqual(['first@example.com', 'second@example.com']);
      const page = await transport.call(
        listLinkViews,
        { linkId: link.id, pageSize: 1 },
        keyOf(test),
      );
      if (!page.ok) throw new Error(page.error.message);
      const { views, nextPageToken } = page.message;
      const rest = { linkId: link.id, pageToken: nextPageToken };
      const second = await transport.call(listLinkViews, rest, keyOf(test));
      expect(views.length).toBe(1);
      expect(second).toMatchObject({ ok: true, message: { nextPageToken: '' } });
    }
    const { body } = await callSharingApi(test, 'GET', `/links/${link.id}/views?page_size=1`);
    expect(body).toMatchObject({
      views: [
        {
          id: expect.stringMatching(/^viw_/),
          link_id: link.id,
          email_verified: false,
          create_time: expect.stringMatching(/Z$/),
          duration_ms: 0,
          pages: [],
        },
      ],
      next_page_token: expect.stringMatching(/./),
    });
    expect((await callSharingApi(test, 'GET', `/links/${link.id}`)).body).toMatchObject({
      view_count: 2,
    });
  });

  it('of another workspace are not found by any method', async () => {
    const link = await makeLink(test, document.id);
    const credential = await serviceCredential(test, 'links:read links:write');
    const request = { linkId: link.id, workspaceId: 'ws_other' };
    for (const transport of transports) {
      const answers = [
        await transport.call(getLink, request, credential),
        await transport.call(updateLink, { ...request, name: 'Mine' }, credential),
        await transport.call(revokeLink, request, credential),
        await transport.call(listLinkViews, request, credential),
      ];
      for (const answer of answers) {
        expect(answer, transport.name).toMatchObject({ ok: false, error: { code: 'not_found' } });
      }
      const list = await transport.call(listLinks, { workspaceId: 'ws_other' }, credential);
      expect(list, transport.name).toMatchObject({ ok: true, message: { links: [] } });
    }
    expect((await callSharingApi(test, 'GET', `/links/${link.id}`)).body).toEqual(link);
  });
});
