// The brand of a workspace, and the title of the document, on the pages and in the mails of links.
import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { lastCode, mailsOf, Visitor } from '../support/gate-visitor.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { callMethodWithText } from '../support/method-calls.ts';
import { makePdf } from '../support/pdf.ts';
import { multipartBody } from '../support/raw-http.ts';
import { callSharingApi, makeLink, makePng, upload } from '../support/sharing-api.ts';

type Brand = { accent_color: string; logo_url: string };

/** A chunk of a RIFF file (WebP Container Specification). */
function webp(flags: number, size: number): Buffer {
  const chunk = Buffer.alloc(18);
  chunk.write('VP8X', 0, 'latin1');
  chunk.writeUInt32LE(10, 4);
  chunk[8] = flags;
  chunk.writeUIntLE(size - 1, 12, 3);
  chunk.writeUIntLE(size - 1, 15, 3);
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(4 + chunk.length, 4);
  return Buffer.concat([head, chunk]);
}

describeApp('the brand of a workspace', (suite) => {
  let own: { authorization: string };
  let workspaceId: string;
  beforeAll(async () => {
    workspaceId = suite.testApp.env.WORKSPACE_ID;
    const sub = await addMember(suite.app.inside.db, workspaceId, 'admin');
    own = await credentialFor(suite.testApp, { type: 'member', sub, scope: memberScope });
  });

  const url = () => `${suite.app.publicUrl}/workspaces/${workspaceId}`;
  async function readBrand(): Promise<Brand> {
    const { brand } = (await (await fetch(url(), { headers: own })).json()) as { brand: Brand };
    return brand;
  }
  async function put(bytes: Uint8Array, headers = own, parts: [string, string][] = []) {
    const texts = parts.map(([name, text]) => ({ name, body: Buffer.from(text) }));
    const file = { name: 'file', filename: 'logo.png', body: bytes };
    const response = await fetch(`${url()}/logo`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=frontier' },
      body: new Uint8Array(multipartBody([...texts, file], 'frontier')),
    });
    const body = (await response.json()) as { brand: Brand };
    return { status: response.status, body };
  }
  async function setAccent(accent_color: string): Promise<void> {
    const answer = await fetch(url(), {
      method: 'PATCH',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify({ brand: { accent_color } }),
    });
    expect(answer.status).toBe(200);
  }

  it('has a logo that anyone can load until it is replaced or deleted', async () => {
    const logo = makePng(40, 20);
    const first = (await put(logo)).body.brand.logo_url;
    const image = await fetch(first);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    expect(image.headers.get('content-security-policy')).toContain('sandbox');
    expect(logo.equals(Buffer.from(await image.arrayBuffer()))).toBe(true);
    expect((await fetch(first, { method: 'HEAD' })).status).toBe(200);

    const second = (await put(makePng(2_000, 1))).body.brand.logo_url;
    expect(second).not.toBe(first);
    expect((await fetch(first)).status).toBe(404);
    expect(await readBrand()).toMatchObject({ logo_url: second });

    for (let i = 0; i < 2; i++) {
      const deleted = await fetch(`${url()}/logo`, { method: 'DELETE', headers: own });
      expect([deleted.status, await deleted.json()]).toEqual([200, {}]);
    }
    expect(await readBrand()).toMatchObject({ logo_url: '' });
    expect((await fetch(second)).status).toBe(404);
  });

  it('refuses everything but small still images', async () => {
    const png = makePng(10, 10);
    const files: [string, Uint8Array, number][] = [
      ['no bytes', Buffer.alloc(0), 400],
      ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400],
      ['GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1'), 400],
      ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), 400],
      ['a PDF', makePdf({ pages: 1, text: 'a' }), 400],
      ['a wide PNG', makePng(2_001, 1), 400],
      ['a high PNG', makePng(1, 2_001), 400],
      ['a cut PNG', png.subarray(0, 12), 400],
      ['a cut JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), 400],
      ['an animated WebP', webp(0x02, 10), 400],
      ['a large WebP', webp(0, 2_001), 400],
      ['too many bytes', Buffer.concat([png, Buffer.alloc(1_048_577 - png.length)]), 413],
    ];
    for (const [what, bytes, status] of files) expect((await put(bytes)).status, what).toBe(status);
    expect((await put(webp(0, 10))).status).toBe(200);
    expect((await put(Buffer.concat([png, Buffer.alloc(1_048_576 - png.length)]))).status).toBe(
      200,
    );
    const named = await put(png, own, [['workspace_id', 'ws_other']]);
    expect(named).toMatchObject({ status: 400, body: { errors: [{ field: 'workspace_id' }] } });
  });

  it('changes only for admins of the workspace', async () => {
    const before = await readBrand();
    const { db } = suite.app.inside;
    const role = await addMember(db, workspaceId, 'member');
    const others = [
      await credentialFor(suite.testApp, { type: 'member', sub: role, scope: memberScope }),
      await credentialFor(suite.testApp, { type: 'member', scope: memberScope }),
      await credentialFor(suite.testApp, { type: 'service', scope: 'workspaces:read' }),
    ];
    for (const headers of others) {
      expect((await put(makePng(1, 1), headers)).status).toBe(403);
      const deleted = await fetch(`${url()}/logo`, { method: 'DELETE', headers });
      expect(deleted.status).toBe(403);
    }
    expect(await readBrand()).toEqual(before);
  });

  describeOneTransport(suite, () => {
    it('has a logo that arrives in pieces over gRPC and Connect', async () => {
      const { putWorkspaceLogo } = WorkspaceService.method;
      for (const transport of ['grpc', 'connect'] as const) {
        const answer = await callMethodWithText(suite.app, transport, {
          method: putWorkspaceLogo,
          fields: { workspace_id: workspaceId },
          rest: { file: makePng(3, 3) },
          ...own,
        });
        expect(answer, transport).toMatchObject({ code: 'ok' });
        const id = answer.text.match(/logos\/(\w{22})/)?.[1];
        const logo = await fetch(`${suite.app.publicUrl}/logos/${id}`);
        expect(makePng(3, 3).equals(Buffer.from(await logo.arrayBuffer()))).toBe(true);
      }
    });
  });

  it('refuses an accent colour in another form', async () => {
    for (const accent_color of ['red', '#12345', '#1234567', '#12345g', '#123456;}', '123456']) {
      const answer = await fetch(url(), {
        method: 'PATCH',
        headers: { ...own, 'content-type': 'application/json' },
        body: JSON.stringify({ brand: { accent_color } }),
      });
      expect(answer.status, accent_color).toBe(400);
    }
    await setAccent('#FFCC00');
    expect(await readBrand()).toMatchObject({ accent_color: '#ffcc00' });
  });

  it('is on the gate, in the viewer and in mails, with the title', async () => {
    const { testApp } = suite;
    await setAccent('#ffcc00');
    const logo = (await put(makePng(40, 20))).body.brand.logo_url;
    const document = await upload(testApp, makePdf({ pages: 1, text: 'Deck' }), 'Pitch deck.pdf');
    const options = { email_required: true, email_verification_required: true };
    const link = await makeLink(testApp, document.id, options);
    const visitor = new Visitor(link);
    const email = 'branded@example.com';
    await visitor.post({ email });
    const asking = await visitor.get();
    await visitor.post({ code: await lastCode(testApp, email) });
    const opened = await visitor.get();
    for (const page of [asking, opened]) {
      expect(page.status).toBe(200);
      expect(page.text).toContain('<title>Pitch deck.pdf</title>');
      expect(page.text).toContain(`src="${new URL(logo).pathname}"`);
      const [, style = ''] = /<style>([^<]*)<\/style>/.exec(page.text) ?? [];
      expect(style).toContain('#ffcc00');
      // Links and the focus ring have a darker shade on the light pages.
      expect(style).toMatch(/--accent:#856a00;.*--accent:#ffcc00;/s);
      expect(page.text).toContain(`<link rel="icon" href="${new URL(logo).pathname}">`);
      const digest = createHash('sha256').update(style).digest('base64');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain(`style-src 'self' 'sha256-${digest}';`);
      expect(policy).not.toContain('unsafe');
    }
    expect(asking.text).toContain('Shared by <bdi>Demo workspace</bdi>');
    expect(asking.text).toMatch(/inputmode="numeric" autocomplete="one-time-code"/);
    const mail = (await mailsOf(testApp)).find(({ to }) => to === email);
    expect(mail?.text).toContain('Demo workspace shared “Pitch deck.pdf” with');
    expect(mail?.html).toContain(logo);
    expect(mail?.html).toContain('#ffcc00');
  });

  it('is the name of the workspace in mails without a logo', async () => {
    const { testApp } = suite;
    await fetch(`${url()}/logo`, { method: 'DELETE', headers: own });
    const document = await upload(testApp, makePdf({ pages: 1, text: 'Deck' }), 'Deck.pdf');
    const options = { email_required: true, email_verification_required: true };
    const link = await makeLink(testApp, document.id, options);
    const email = 'without-logo@example.com';
    await new Visitor(link).post({ email });
    const mail = (await mailsOf(testApp)).find(({ to }) => to === email);
    expect(mail?.html).toMatch(/<p style="[^"]*">Demo workspace<\/p>/);
  });

  it('has no title on pages, in mails and in downloads if the link hides it', async () => {
    const { testApp } = suite;
    const pdf = makePdf({ pages: 1, text: 'Deck' });
    const document = await upload(testApp, pdf, 'Secret with Acme.Merger');
    const options = {
      email_required: true,
      email_verification_required: true,
      allow_download: true,
    };
    const link = await makeLink(testApp, document.id, { ...options, show_title: false });
    const visitor = new Visitor(link);
    const email = 'hidden@example.com';
    const answers = [await visitor.get(), await visitor.post({ email }), await visitor.get()];
    await visitor.post({ code: await lastCode(testApp, email) });
    for (const route of ['', '/file', '/download']) answers.push(await visitor.get(route));
    const mail = (await mailsOf(testApp)).find(({ to }) => to === email);
    const all = JSON.stringify([mail, answers.map(({ text, headers }) => [text, [...headers]])]);
    expect(all).not.toMatch(/merger/i);
    expect(answers.at(-1)?.headers.get('content-disposition')).toContain('filename=Document.pdf');

    await callSharingApi(testApp, 'PATCH', `/links/${link.id}`, { show_title: null });
    expect((await new Visitor(link).get()).text).toContain('Acme.Merger');
  });

  it('is in the Open Graph tags, without content and addresses', async () => {
    const { testApp } = suite;
    const document = await upload(testApp, makePdf({ pages: 1, text: 'Inside' }), 'Plan <A>.pdf');
    const link = await makeLink(testApp, document.id, { allow_list: ['jane@example.com'] });
    const page = (await new Visitor(link).get()).text;
    expect(page).toContain('<meta property="og:title" content="Plan &lt;A&gt;.pdf">');
    expect(page).toContain('<meta property="og:description" content="Shared by Demo workspace">');
    const tags = [...page.matchAll(/<meta [^>]*>/g)].map(([tag]) => tag).join('\n');
    expect(tags).not.toMatch(/jane|Inside|@example|\/file/);
  });
});
