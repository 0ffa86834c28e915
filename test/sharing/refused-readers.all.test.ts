// Readers that the lists of a link refuse. No request over any transport returns a byte of the
// document, with any of their cookies.
import { describe, expect } from 'vitest';
import { openRpcStreamTransports, untilFinished } from '../support/document-streams.ts';
import { lastCode, Visitor } from '../support/gate-visitor.ts';
import { cookieOf, useSecretDocument } from '../support/gated-document.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, type LinkFields } from '../support/sharing-api.ts';

describe('a reader with', () => {
  const { app, clock, gated, pass, expectNothingWith } = useSecretDocument('sqlite');

  /** Verifies an address at the gate and returns the cookies of the browser. */
  async function verify(link: LinkFields, email: string): Promise<string> {
    const visitor = new Visitor(link);
    clock.now += 1;
    await visitor.post({ email });
    await visitor.post({ code: await lastCode(app(), email) });
    return visitor.cookie;
  }
  const change = (link: LinkFields, fields: object) =>
    callSharingApi(app(), 'PATCH', `/links/${link.id}`, fields);

  const readers: [what: string, make: (link: LinkFields) => Promise<string>][] = [
    [
      'an unverified address, after the link got a list of readers',
      async (link) => {
        const cookie = await pass(link);
        await change(link, { allow_list: ['reader@example.com'] });
        return cookie;
      },
    ],
    [
      'a verified address that is not on the list of readers',
      async (link) => {
        await change(link, { allow_list: ['other@example.com', '@sub.example.com'] });
        return verify(link, 'reader@example.com');
      },
    ],
    [
      'a verified address that was removed from the list of readers',
      async (link) => {
        await change(link, { allow_list: ['@example.com'] });
        const cookie = await verify(link, 'removed@example.com');
        expect((await fetch(`${link.url}/file`, { headers: { cookie } })).status).toBe(200);
        await change(link, { allow_list: ['reader@example.com'] });
        return cookie;
      },
    ],
    [
      'an address that is on both lists',
      async (link) => {
        const lists = { allow_list: ['both@example.com'], block_list: ['@example.com'] };
        await change(link, lists);
        return verify(link, 'both@example.com');
      },
    ],
    [
      'an address that was blocked since',
      async (link) => {
        const cookie = await pass(link);
        await change(link, { block_list: ['Reader@Example.com'] });
        return cookie;
      },
    ],
    [
      'no address, after the link got a list of blocked readers',
      async (link) => {
        await change(link, { email_required: false });
        const cookie = cookieOf(await fetch(link.url));
        await change(link, { block_list: ['reader@example.com'] });
        return cookie;
      },
    ],
  ];
  itHoldsFor(readers, 6)('a refused reader gets no byte of the document', async (_, make) => {
    const link = await gated();
    const cookie = await make(link);
    await expectNothingWith(link, cookie);
    for (const transport of untilFinished(openRpcStreamTransports(app().app))) {
      const access = /latchkey_access=([^;]*)/.exec(cookie)?.[1] ?? 'none';
      const credential = { cookie, authorization: `Bearer ${access}` };
      const answer = await transport.download({ documentId: link.document_id }, credential);
      expect(answer, transport.name).toMatchObject({ error: { code: 'unauthenticated' } });
    }
  });
});
