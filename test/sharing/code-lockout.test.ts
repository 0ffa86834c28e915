// A reader enters a code that has arrived, although strangers used up the mails for the address.
import { expect, it } from 'vitest';
import {
  alertOf,
  codesFor,
  fieldAskedBy,
  type GateAnswer,
  lastCode,
  Visitor,
  wrongCode,
} from '../support/gate-visitor.ts';
import { useSecretDocument } from '../support/gated-document.ts';
import { describeFeature } from '../support/matrix.ts';
import type { LinkFields } from '../support/sharing-api.ts';

const second = 1_000;
const minute = 60 * second;

describeFeature('a reader whose address gets no more mails', (dialect) => {
  const { app, clock, gated } = useSecretDocument(dialect);
  const verifiedLink = () => gated({ email_verification_required: true });
  let readers = 0;

  /** Strangers request the six codes of an address; the last one is for the returned link. */
  async function exhausted(): Promise<{ link: LinkFields; email: string; code: string }> {
    const email = `reader-${++readers}@example.com`;
    const link = await verifiedLink();
    for (let i = 0; i < 6; i++) {
      // The time makes the mails distinguishable.
      clock.now += 1;
      const asked = i === 5 ? link : await verifiedLink();
      expect((await new Visitor(asked).post({ email })).status).toBe(303);
    }
    clock.now += 33 * second;
    return { link, email, code: await lastCode(app(), email) };
  }

  it('continues with the newest code', async () => {
    const { link, email, code } = await exhausted();
    const reader = new Visitor(link);

    const answer = await reader.post({ email });

    expect([answer.status, fieldAskedBy(answer)]).toEqual([429, 'Code']);
    expect(answer.headers.get('retry-after')).toBe('567');
    expect(alertOf(answer)).toBe(
      'Too many codes were requested, so we sent no new one. If you got codes in the last ' +
        '10 minutes, try the newest first. You can request a new one in 10 minutes.',
    );
    expect(answer.text).toContain(`<strong>${email}</strong>`);
    expect(answer.text).not.toContain('We sent');
    expect(await codesFor(app(), email)).toHaveLength(6);
    expect(await reader.asked()).toBe('Code');
    expect((await reader.post({ code })).status).toBe(303);
    expect(await reader.asked()).toBe('document');
  });

  it('reads the same after a request for another code', async () => {
    const { link, email, code } = await exhausted();
    const reader = new Visitor(link);
    const entered = await reader.post({ email });
    const again = await reader.post({ code: 'again' });
    expect([again.status, again.text]).toEqual([429, entered.text]);
    expect((await reader.post({ code })).status).toBe(303);
  });

  it('gets a new code when one may be sent', async () => {
    const { link, email, code } = await exhausted();
    const reader = new Visitor(link);
    const answer = await reader.post({ email });
    clock.now += Number(answer.headers.get('retry-after')) * second;
    const sent = await reader.post({ code: 'again' });
    expect([sent.status, fieldAskedBy(sent)]).toEqual([200, 'Code']);
    const next = await lastCode(app(), email);
    if (next !== code) expect((await reader.post({ code })).status).toBe(403);
    expect((await reader.post({ code: next })).status).toBe(303);
  });

  it('enters the address and the code in one form', async () => {
    const { link, email, code } = await exhausted();
    const reader = new Visitor(link);
    const wrong = await reader.post({ email, code: wrongCode(code) });
    expect([wrong.status, fieldAskedBy(wrong)]).toEqual([403, 'Code']);
    const other = new Visitor(link);
    expect((await other.post({ email, code })).status).toBe(303);
    expect(await other.asked()).toBe('document');
    // The code works once.
    expect((await reader.post({ email, code })).status).toBe(403);
    expect(await codesFor(app(), email)).toHaveLength(6);
  });

  it('has five tries, like every visitor', async () => {
    const { link, email, code } = await exhausted();
    const reader = new Visitor(link);
    await reader.post({ email });
    for (let i = 1; i <= 5; i++) await reader.post({ code: wrongCode(code, i) });
    expect((await reader.post({ code })).status).toBe(403);
    expect((await reader.post({ email, code })).status).toBe(403);
  });

  it('gets the same answers as an address without a code', async () => {
    const { link, email, code } = await exhausted();
    const other = await verifiedLink();
    const visible = ({ status, headers, text }: GateAnswer) => ({
      status,
      text,
      retryAfter: headers.get('retry-after'),
      headers: [...headers.keys()],
    });
    const expectSame = async (visitors: Visitor[], fields: Record<string, string>) => {
      const answers = await Promise.all(visitors.map((visitor) => visitor.post(fields)));
      const [withCode, withoutCode] = answers.map(visible);
      expect(withCode).toEqual(withoutCode);
    };
    const visitors = [new Visitor(link), new Visitor(other)];
    await expectSame(visitors, { email });
    await expectSame(visitors, { code: 'again' });
    await expectSame(visitors, { code: '' });
    await expectSame(visitors, { email, code: 'again' });
    await expectSame(visitors, { code: wrongCode(code) });
    await expectSame(visitors, { email, code: wrongCode(code) });

    // An expired code makes no difference either.
    clock.now += 10 * minute;
    await new Visitor(await verifiedLink()).post({ email });
    await expectSame([new Visitor(link), new Visitor(other)], { email });
  });
});

describeFeature('an address and a code in one form', (dialect) => {
  const { app, clock, gated } = useSecretDocument(dialect);
  const email = 'reader@example.com';

  it('send no mail, which would void the code', async () => {
    const link = await gated({ email_verification_required: true });
    expect((await new Visitor(link).post({ email })).status).toBe(303);
    clock.now += minute;
    const code = await lastCode(app(), email);
    const [guesser, reader] = [new Visitor(link), new Visitor(link)];

    expect((await guesser.post({ email, code: wrongCode(code) })).status).toBe(403);
    const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
    expect((await reader.post({ email, code: spaced })).status).toBe(303);

    expect(await reader.asked()).toBe('document');
    expect(await codesFor(app(), email)).toHaveLength(1);
  });

  it('send a mail if the code is malformed', async () => {
    const link = await gated({ email_verification_required: true });
    const address = 'other@example.com';
    expect((await new Visitor(link).post({ email: address, code: '1' })).status).toBe(400);
    expect(await codesFor(app(), address)).toHaveLength(1);
  });
});
