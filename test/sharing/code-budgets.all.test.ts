// Limits on the number of codes that are mailed in total: per link, per workspace, and for the
// whole service.
import { expect, it } from 'vitest';
import {
  alertOf,
  fieldAskedBy,
  lastCode,
  mailedLink,
  mailsOf,
  Visitor,
} from '../support/gate-visitor.ts';
import { useSecretDocument, waitOf } from '../support/gated-document.ts';
import { startTestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import { makePdf } from '../support/pdf.ts';
import { type LinkFields, makeLink, upload } from '../support/sharing-api.ts';

const second = 1_000;
/** Of the tests that mail hundreds of codes. */
const timeout = 180_000;

describeFeature('codes of one link', (dialect) => {
  it('are sent to at most 100 unknown readers in a row', { timeout }, async () => {
    const now = Date.now();
    const config = { trustedProxies: ['127.0.0.1'] };
    const test = await startTestApp({ dialect, config, now: () => now });
    try {
      const document = await upload(test, makePdf({ pages: 1, text: 'Terms' }));
      const gate = { email_required: true, email_verification_required: true };
      const link = await makeLink(test, document.id, gate);
      const ask = async (i: number) => {
        const answer = await fetch(link.url, {
          method: 'POST',
          body: new URLSearchParams({ email: `stranger-${i}@example.com` }),
          headers: { 'x-forwarded-for': `198.51.100.${i % 4}` },
          redirect: 'manual',
        });
        await answer.arrayBuffer();
        return answer.status;
      };
      const statuses: number[] = [];
      // More at once could wait so long for each other that a request fails.
      for (let i = 0; i < 240; i += 30) {
        const numbers = Array.from({ length: 30 }, (_, j) => i + j);
        statuses.push(...(await Promise.all(numbers.map(ask))));
      }
      expect(await mailsOf(test)).toHaveLength(100);
      expect(statuses.filter((status) => status === 429)).toHaveLength(140);
    } finally {
      await test.remove();
    }
  });
});

describeFeature('a code', (dialect) => {
  const proxied = { trustedProxies: ['127.0.0.1'] };
  const { app, clock, gated, gateCodes } = useSecretDocument(dialect, proxied);
  const verifiedLink = () => gated({ email_verification_required: true });

  /** Requests codes for unknown readers until the budget is used up. */
  async function useUpStrangers({ id, url }: LinkFields): Promise<void> {
    let status = 303;
    for (let i = 0; status === 303; i++) {
      const body = new URLSearchParams({ email: `${i}-${id.toLowerCase()}@example.com` });
      const headers = { 'x-forwarded-for': `198.51.100.${i}` };
      ({ status } = await fetch(url, { method: 'POST', body, headers, redirect: 'manual' }));
      expect(i).toBeLessThanOrEqual(100);
    }
    expect(status).toBe(429);
  }

  /** Requests codes as if from many networks; the mails are discarded. */
  function sender() {
    let count = 0;
    const codes = gateCodes();
    return (linkId: string, workspaceId: string, verifiedBrowser?: string) => {
      const email = `r${++count}@example.com`;
      const asker = { network: `network ${count}`, verifiedBrowser, visitor: 'v' };
      return waitOf(codes.send({ linkId, workspaceId, email }, asker, mailedLink));
    };
  }

  const levels = async () => {
    const { db } = app().app.inside;
    const rows = await db.selectFrom('throttle_counters').select(['key', 'level_time']).execute();
    return new Map(rows.map((row) => [row.key, row.level_time]));
  };

  /**
   * Sends 100 mails. To save time, 80 of them are only counted: each counter that grew with one
   * mail grows by 80 times as much.
   */
  async function expectHundred(send: () => Promise<number | undefined>): Promise<void> {
    const { db } = app().app.inside;
    for (let i = 0; i < 10; i++) expect(await send()).toBe(0);
    const before = await levels();
    expect(await send()).toBe(0);
    for (const [key, level] of await levels()) {
      const grown = level - (before.get(key) ?? level);
      if (grown === 0) continue;
      const level_time = level + 80 * grown;
      await db
        .updateTable('throttle_counters')
        .set({ level_time })
        .where('key', '=', key)
        .execute();
    }
    for (let i = 0; i < 9; i++) expect(await send()).toBe(0);
  }

  it('is sent to 300 unknown readers in a row per workspace, across all links', async () => {
    const send = sender();
    for (let l = 0; l < 3; l++) {
      const { id } = await verifiedLink();
      await expectHundred(() => send(id, 'ws_1'));
      if (l < 2) expect(await send(id, 'ws_1')).toBe(20);
    }
    const { id } = await verifiedLink();
    expect(await send(id, 'ws_1')).toBe(5);
    expect(await send(id, 'ws_2')).toBe(0);
    clock.now += 5 * second;
    expect(await send(id, 'ws_1')).toBe(0);
  });

  it('is sent to 1,000 unknown readers in a row by the whole service', { timeout }, async () => {
    const send = sender();
    for (let l = 0; l < 10; l++) {
      const { id } = await verifiedLink();
      await expectHundred(() => send(id, `ws_${l}`));
    }
    const { id } = await verifiedLink();
    expect(await send(id, 'ws_other')).toBe(1);
    expect(await send(id, 'ws_other', 'verified-1')).toBe(0);
  });

  it('is sent to known readers while unknown readers use up the budget', async () => {
    const [link, other] = [await verifiedLink(), await verifiedLink()];
    const email = 'known@example.com';
    const known = new Visitor(other);
    await known.post({ email });
    clock.now += 1;
    expect((await known.post({ code: await lastCode(app(), email) })).status).toBe(303);
    await useUpStrangers(link);
    const stranger = await new Visitor(link).post({ email: 'stranger@example.com' });
    expect([stranger.status, fieldAskedBy(stranger)]).toEqual([429, 'Code']);
    expect(alertOf(stranger)).toMatch(/Too many codes .* request a new one in \d+ seconds/);

    // Requests a code for the address, from a browser that is new to the link.
    expect((await new Visitor(link).post({ email })).status).toBe(303);
  });

  it('is sent a few times to another address from a browser with a verified address', async () => {
    const link = await verifiedLink();
    const email = 'first@example.com';
    const visitor = new Visitor(link);
    await visitor.post({ email });
    clock.now += 1;
    await visitor.post({ code: await lastCode(app(), email) });
    expect(visitor.cookies.has('latchkey_browser')).toBe(true);
    await useUpStrangers(link);
    visitor.cookies.delete('latchkey_access');
    visitor.cookies.delete('latchkey_gate');

    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) {
      statuses.push((await visitor.post({ email: `other-${i}@example.com` })).status);
      visitor.cookies.delete('latchkey_gate');
    }

    expect(statuses).toEqual([303, 303, 303, 303, 303, 429, 429]);
    const stranger = new Visitor(link);
    expect((await stranger.post({ email: 'stranger@example.com' })).status).toBe(429);
  });
});
