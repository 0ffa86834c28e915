// Strangers who know an address cannot use up the mails and the attempts of its reader.
import { expect, it } from 'vitest';
import { verifiedBrowserId } from '../../src/sharing/gate/cookies.ts';
import { transact } from '../../src/storage/database.ts';
import { lastCode, mailedLink, Visitor, wrongCode } from '../support/gate-visitor.ts';
import { useSecretDocument, waitOf } from '../support/gated-document.ts';
import { describeFeature } from '../support/matrix.ts';
import type { LinkFields } from '../support/sharing-api.ts';

const email = 'reader@example.com';

describeFeature('requests for codes by strangers who know an address', (dialect) => {
  const { app, clock, gated, gateCodes } = useSecretDocument(dialect);
  const verifiedLink = () => gated({ email_verification_required: true });

  /** Visitors whose mails the test reads. */
  function codesHere() {
    const mails: string[] = [];
    const codes = gateCodes(({ text }) => mails.push(text));
    const claimIn = async (workspaceId: string) => ({
      linkId: (await verifiedLink()).id,
      workspaceId,
      email,
    });
    async function send(workspaceId: string, verifiedBrowser?: string, address = email) {
      const asker = { network: '192.0.2.1', verifiedBrowser, visitor: 'v' };
      const claim = { ...(await claimIn(workspaceId)), email: address };
      return waitOf(codes.send(claim, asker, mailedLink));
    }
    /** Verifies the address for a workspace. */
    async function verify(workspaceId: string) {
      const claim = await claimIn(workspaceId);
      const asker = { network: '', verifiedBrowser: undefined, visitor: 'v' };
      await codes.send(claim, asker, mailedLink);
      const code = /Your code is (\d{6})/.exec(mails.at(-1) ?? '')?.[1] ?? '';
      const { db } = app().app.inside;
      const redeemed = transact(db, (trx) => codes.redeem(trx, claim, { code, visitor: 'v' }));
      expect(await redeemed).toBe(true);
    }
    return { send, verify };
  }

  it('through one workspace leave mails for the address in other workspaces', async () => {
    const { send, verify } = codesHere();
    await verify('ws_1');
    for (let i = 0; i < 6; i++) expect(await send('ws_2')).toBe(0);
    expect(await send('ws_2')).toBe(600);

    expect(await send('ws_1', verifiedBrowserId(email))).toBe(0);
    expect(await send('ws_1')).toBe(0);
    expect(await send('ws_3')).toBe(0);
  });

  it('through its workspace leave mails for a browser with the verified address', async () => {
    const { send, verify } = codesHere();
    await verify('ws_1');
    for (let i = 0; i < 6; i++) expect(await send('ws_1')).toBe(0);
    expect(await send('ws_1')).toBe(600);
    expect(await send('ws_1', verifiedBrowserId('other@example.com'))).toBe(600);

    for (let i = 0; i < 6; i++) expect(await send('ws_1', verifiedBrowserId(email))).toBe(0);
    expect(await send('ws_1', verifiedBrowserId(email))).toBe(600);
  });

  it('send it at most 18 mails in a row, across all workspaces', async () => {
    const { send } = codesHere();
    for (let i = 0; i < 18; i++) expect(await send(`ws_${i}`)).toBe(0);
    expect(await send('ws_other')).toBe(300);
    // Browsers with a verified address have a separate limit that is not lower.
    const browser = (i: number) => verifiedBrowserId(`b${i}@example.com`);
    for (let i = 0; i < 18; i++) expect(await send(`ws_${i}`, browser(i))).toBe(0);
    expect(await send('ws_other', browser(18))).toBe(300);
  });

  it('send it at most 18 mails in a row under its subaddresses', async () => {
    const { send } = codesHere();
    const sendTo = (address: string) => send('ws_1', undefined, address);
    for (let i = 0; i < 18; i++) expect(await sendTo(`reader+${i}@example.com`)).toBe(0);
    for (const address of [email, 'reader+18@example.com', 'reader+18+1@example.com']) {
      expect(await sendTo(address)).toBe(300);
    }
    expect(await sendTo('reader-1@example.com')).toBe(0);
    expect(await sendTo('reader@other.example')).toBe(0);
  });

  /** Requests a code at a link and enters wrong codes; returns the visitor. */
  async function guess(link: LinkFields, code: string, count: number): Promise<Visitor> {
    const visitor = new Visitor(link);
    expect((await visitor.post({ email })).status).toBe(303);
    for (let i = 1; i <= count; i++) {
      expect((await visitor.post({ code: wrongCode(code, i) })).status).toBe(403);
    }
    return visitor;
  }

  async function asked() {
    const link = await verifiedLink();
    clock.now += 3_600_000;
    const reader = new Visitor(link);
    expect((await reader.post({ email })).status).toBe(303);
    return { link, reader, code: await lastCode(app(), email) };
  }

  it('use up only the strangers’ attempts, not those of the reader', async () => {
    const { link, reader, code } = await asked();
    const stranger = await guess(link, code, 5);
    expect((await stranger.post({ code })).status).toBe(403);
    // The reader's other browser has attempts, too.
    const phone = await guess(link, code, 4);
    expect((await phone.post({ code: 'other' })).status).toBe(303);
    expect((await phone.post({ email })).status).toBe(303);
    expect((await phone.post({ code: wrongCode(code, 5) })).status).toBe(403);
    expect((await phone.post({ code })).status).toBe(403);

    expect((await reader.post({ code })).status).toBe(303);
  });

  it('have 20 attempts at its code in total', async () => {
    const { link, reader, code } = await asked();
    for (let i = 0; i < 4; i++) await guess(link, code, 5);
    const next = await guess(link, code, 0);
    expect((await next.post({ code })).status).toBe(403);
    const { db } = app().app.inside;
    const codes = db.selectFrom('gate_codes').select('key').where('link_id', '=', link.id);
    expect(await codes.execute()).toHaveLength(6);

    expect((await reader.post({ code })).status).toBe(303);
  });

  it('leave attempts for another browser of the reader', async () => {
    const { link, code } = await asked();
    await guess(link, code, 5);
    const phone = await guess(link, code, 4);
    expect((await phone.post({ code })).status).toBe(303);
  });
});
