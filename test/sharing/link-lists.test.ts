// The lists of the readers who may, and may not, open a link. test/sharing/link-traps.all.test.ts
// checks that a refused reader gets no byte of the document.
import { expect, it, onTestFinished } from 'vitest';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { startAppPair } from '../support/app-pair.ts';
import { alertOf, codesFor, fieldAskedBy, lastCode, Visitor } from '../support/gate-visitor.ts';
import { secretPdf, useSecretDocument } from '../support/gated-document.ts';
import { describeFeature } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  callSharingApi,
  keyOf,
  type LinkFields,
  makeLink,
  upload,
} from '../support/sharing-api.ts';
import { openTransports } from '../support/transports.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const { createLink, updateLink } = LinkService.method;

describeFeature('the lists of a link', (dialect) => {
  const { app, clock, open, expectNothingOf } = useSecretDocument(dialect);
  const change = (link: LinkFields, body: object) =>
    callSharingApi<LinkFields>(app(), 'PATCH', `/links/${link.id}`, body);

  async function request(link: LinkFields, email: string): Promise<Visitor> {
    const visitor = new Visitor(link);
    clock.now += 1;
    expect((await visitor.post({ email })).status).toBe(303);
    return visitor;
  }

  it('are stored in one form through every transport, and imply their checks', async () => {
    const { document_id: documentId } = await open();
    const allowList = [
      'Jane@Bücher.Example',
      '@EXAMPLE.com',
      ' jane@xn--bcher-kva.example ',
      'a+b@c.de',
    ];
    const blockList = ['@bad.example'];
    const stored = ['jane@xn--bcher-kva.example', '@example.com', 'a+b@c.de'];
    for (const transport of openTransports(app().app)) {
      onTestFinished(() => transport.close());
      const made = await transport.call(createLink, { documentId, allowList }, keyOf(app()));
      expect(made, transport.name).toMatchObject({
        ok: true,
        message: {
          link: { allowList: stored, emailRequired: true, emailVerificationRequired: true },
        },
      });
      const linkId = made.ok ? (made.message.link?.id ?? '') : '';
      const changes = { linkId, allowList: [], blockList };
      const updateMask = { paths: ['allow_list', 'block_list'] };
      const changed = await transport.call(
        updateLink,
        transport.name === 'http' ? changes : { ...changes, updateMask },
        keyOf(app()),
      );
      expect(changed, transport.name).toMatchObject({
        ok: true,
        message: { link: { blockList, emailRequired: true } },
      });
    }
  });

  it('refuse invalid entries, too many of them, and contradictory checks', async () => {
    const link = await open({ allow_list: ['@example.com'] });
    const many = (count: number, text: string) =>
      Array.from({ length: count }, (_, i) => `${i}${text}`);
    const bodies: [body: object, field: string][] = [
      [{ allow_list: ['reader'] }, 'allow_list'],
      [{ allow_list: [''] }, 'allow_list'],
      [{ allow_list: ['@'] }, 'allow_list'],
      [{ allow_list: ['@localhost'] }, 'allow_list'],
      [{ allow_list: ['@a@example.com'] }, 'allow_list'],
      [{ allow_list: ['a@example.com b@example.com'] }, 'allow_list'],
      [{ block_list: ['@exa mple.com'] }, 'block_list'],
      [{ block_list: ['@bücher.example\u0000'] }, 'block_list'],
      [{ block_list: many(201, '@a.de') }, 'block_list'],
      [{ allow_list: many(200, `@${'long'.repeat(12)}.example`) }, 'allow_list'],
      [{ allow_list: [`${'x'.repeat(250)}@a.de`] }, 'allow_list'],
      [{ allow_list: 'a@example.com' }, 'allow_list'],
      [{ email_verification_required: false }, 'email_verification_required'],
      [{ email_required: false }, 'email_required'],
      [{ allow_list: ['@a.de'], email_verification_required: false }, 'allow_list'],
    ];
    for (const [body, field] of bodies) {
      expect(await change(link, body), JSON.stringify(body).slice(0, 80)).toMatchObject({
        status: 400,
        body: { errors: [{ field }] },
      });
    }
    const same = await callSharingApi(app(), 'GET', `/links/${link.id}`);
    expect(same.body).toEqual(link);
    expect((await change(link, { allow_list: many(200, '@a.de') })).status).toBe(200);
  });

  it('do not reveal whether they contain an address before it is verified', async () => {
    const link = await open({
      allow_list: ['listed@example.com'],
      block_list: ['@blocked.example'],
    });
    const emails = ['listed@example.com', 'unlisted@example.com', 'someone@blocked.example'];
    const answers = new Set<string>();
    for (const email of emails) {
      const visitor = await request(link, email);
      const page = await visitor.get();
      answers.add(page.text.replaceAll(email, ''));
      expect(await codesFor(app(), email), email).toHaveLength(1);
      const again = await visitor.post({ code: 'again' });
      answers.add(alertOf(again).replace(/\d+/, ''));
      const wrong = await visitor.post({ code: '000000' });
      answers.add(alertOf(wrong));
    }
    expect(answers.size).toBe(3);
  });

  const readers: [email: string, isAdmitted: boolean][] = [
    ['Listed@Example.com', true],
    ['listed+more@example.com', false],
    ['anyone@bücher.example', true],
    ['anyone@sub.xn--bcher-kva.example', false],
    ['anyone@notbücher.example', false],
    ['blocked@xn--bcher-kva.example', false],
  ];
  it('admit exactly the readers that they name', async () => {
    const link = await open({
      allow_list: ['listed@example.com', '@bücher.example'],
      block_list: ['blocked@bücher.example'],
    });
    for (const [entered, isAdmitted] of readers) {
      const visitor = await request(link, entered);
      const email = entered
        .toLowerCase()
        .replace('bücher', 'xn--bcher-kva')
        .replace('notxn--bcher-kva', 'xn--notbcher-c6a');
      const page = await visitor.get();
      const [, shown = email] = /<strong>([^<]*)</.exec(page.text) ?? [];
      const code = await lastCode(app(), shown);
      const answer = await visitor.post({ code });
      const file = await fetch(`${link.url}/file`, { headers: { cookie: visitor.cookie } });
      if (isAdmitted) {
        expect([answer.status, file.status], entered).toEqual([303, 200]);
        expect(secretPdf.equals(Buffer.from(await file.arrayBuffer())), entered).toBe(true);
        continue;
      }
      expect([answer.status, file.status], entered).toEqual([403, 403]);
      expect(alertOf(answer)).toContain(`${shown} doesn’t have access`);
      expect(fieldAskedBy(answer)).toBe('Email address');
      // The code is used up.
      expect((await visitor.post({ email: entered, code })).status).toBe(403);
      await expectNothingOf(file, entered);
    }
  });

  it('let a refused reader try another address', async () => {
    const link = await open({ allow_list: ['work@example.com'] });
    const visitor = await request(link, 'private@example.com');
    await visitor.post({ code: await lastCode(app(), 'private@example.com') });
    await visitor.post({ email: 'work@example.com' });
    await visitor.post({ code: await lastCode(app(), 'work@example.com') });
    expect(await visitor.asked()).toBe('document');
  });

  it('block an address at a gate without verification, too', async () => {
    const link = await open({ block_list: ['blocked@example.com'] });
    const visitor = new Visitor(link);
    const refused = await visitor.post({ email: 'Blocked@example.com' });
    expect([refused.status, visitor.cookie.includes('latchkey_access')]).toEqual([403, false]);
    expect(alertOf(refused)).toContain('blocked@example.com doesn’t have access');
    expect((await visitor.post({ email: 'reader@example.com' })).status).toBe(303);
    expect(await visitor.asked()).toBe('document');
  });

  it('keep the access of readers that a change still admits', async () => {
    const link = await open({ allow_list: ['one@example.com', 'two@example.com'] });
    const visitor = await request(link, 'one@example.com');
    await visitor.post({ code: await lastCode(app(), 'one@example.com') });
    await change(link, { allow_list: ['@example.com'], block_list: ['two@example.com'] });
    expect(await visitor.asked()).toBe('document');
  });

  itHoldsFor([
    ['an unverified address', { email_required: true }, { allow_list: ['@example.com'] }],
    ['no address', {}, { block_list: ['@blocked.example'] }],
  ])('leave their checks when they are emptied', async (_, fields, lists) => {
    const link = await open(fields);
    const visitor = new Visitor(link);
    if ('email_required' in fields) await visitor.post({ email: 'reader@example.com' });
    else await visitor.get();
    const read = () => fetch(`${link.url}/file`, { headers: { cookie: visitor.cookie } });
    const first = await read();
    expect([first.status, secretPdf.equals(Buffer.from(await first.arrayBuffer()))]).toEqual([
      200,
      true,
    ]);
    const emptied = Object.fromEntries(Object.keys(lists).map((name) => [name, []]));
    for (const body of [lists, emptied]) {
      expect((await change(link, body)).status).toBe(200);
      const refused = await read();
      expect(refused.status, JSON.stringify(body)).toBe(403);
      await expectNothingOf(refused, JSON.stringify(body));
    }
  });
});

describeFeature('a change of the lists of a link', (dialect) => {
  it('reaches other processes within a second', async () => {
    const { apps, origins, remove } = await startAppPair(dialect, {});
    onTestFinished(remove);
    const [first, second] = apps;
    const { id } = await upload(first, secretPdf, 'terms.pdf');
    const link = await makeLink(first, id, { email_required: true });
    const visitor = new Visitor(link);
    await visitor.post({ email: 'reader@example.com' });
    const file = link.url.replace(origins[0], origins[1]).concat('/file');
    const read = async () => {
      const answer = await fetch(file, { headers: { cookie: visitor.cookie } });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await read()).toBe(200);

    await callSharingApi(first, 'PATCH', `/links/${link.id}`, { block_list: ['@example.com'] });

    await expectWithinOneSecond(second.app.inside.db, read, 403);
  });
});
