// The state changes of a signing key.
import { expect, it } from 'vitest';
import { SigningKeyState } from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport, type TransportName } from '../support/matrix.ts';
import { signToken } from '../support/signed-tokens.ts';
import {
  type KeyAnswer,
  oneKeyEachTime,
  signingKeyOf,
  signingKid,
  timesOf,
} from '../support/signing-keys.ts';

const { ACTIVE, PENDING, RETIRED, REMOVED, REVOKED } = SigningKeyState;

describeApp('the signing keys', (suite) => {
  const { published, freeze, advance, manager } = oneKeyEachTime(suite);

  describeOneTransport(suite, (transport) => {
    const keys = manager(transport);

    it('are not activated before every verifier must have fetched them', async () => {
      const before = await keys.active();
      const key = await keys.create();

      advance(300.999);
      expect(await keys.activate(key.kid)).toMatchObject({
        ok: false,
        error: { code: 'conflict', message: expect.stringContaining('ready in 1 s') },
      });
      expect(await signingKid(suite.app)).toBe(before.kid);
      expect(await keys.find(key.kid)).toEqual(key);
      advance(0.001);
      const activated = signingKeyOf(await keys.activate(key.kid));

      expect(activated.state).toBe(ACTIVE);
      expect(timesOf(activated).activate).toBe(freeze());
      expect(await signingKid(suite.app)).toBe(key.kid);
    });

    it('are activated immediately by force, and retire the previous one', async () => {
      const before = await keys.active();
      const start = freeze();
      const key = await keys.create();
      const activated = signingKeyOf(await keys.activate(key.kid, true));
      const retired = await keys.find(before.kid);

      expect(activated.state).toBe(ACTIVE);
      expect(await signingKid(suite.app)).toBe(key.kid);
      expect(retired.state).toBe(RETIRED);
      expect(timesOf(retired)).toMatchObject({ retire: start, remove: start + 310_000 });
      expect(await published()).toEqual(expect.arrayContaining([key.kid, before.kid]));
    });

    it('stay published while a token that they have signed is valid, and no longer', async () => {
      const before = await keys.active();
      const token = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
      const key = await keys.create();
      signingKeyOf(await keys.activate(key.kid, true));

      advance(299.999);
      expect(await isActive(suite, transport, token)).toBe(true);
      expect(await published()).toContain(before.kid);
      advance(10);
      expect(await published()).toContain(before.kid);
      // Only time passes.
      advance(0.001);
      expect(await published()).not.toContain(before.kid);
      expect((await keys.find(before.kid)).state).toBe(REMOVED);
      await suite.app.inside.rotation.tick();
      expect((await keys.find(before.kid)).state).toBe(REMOVED);
      expect(await storedState(suite, before.kid)).toBe('removed');
    });

    it('are removed with their tokens when they are revoked', async () => {
      const revoked = await keys.active();
      const token = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
      const next = await keys.create();
      signingKeyOf(await keys.activate(next.kid, true));
      const young = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
      expect(await isActive(suite, transport, token)).toBe(true);

      const answer = signingKeyOf(await keys.revoke(revoked.kid));

      expect(answer.state).toBe(REVOKED);
      expect(timesOf(answer)).toMatchObject({ revoke: freeze() });
      expect(answer.removeTime).toBeUndefined();
      expect(await published()).not.toContain(revoked.kid);
      expect(await isActive(suite, transport, token)).toBe(false);
      expect(await isActive(suite, transport, young)).toBe(true);
      expect((await keys.active()).kid).toBe(next.kid);
    });

    it('are replaced by the oldest ready key if the active one is revoked', async () => {
      const active = await keys.active();
      const ready = await keys.create();
      advance(1);
      await keys.create();
      advance(301);
      const unready = await keys.create();
      signingKeyOf(await keys.revoke(active.kid));

      expect((await keys.active()).kid).toBe(ready.kid);
      expect(await signingKid(suite.app)).toBe(ready.kid);
      expect((await keys.find(unready.kid)).state).toBe(PENDING);
    });

    it('are replaced by a new key if the active one is revoked and none is ready', async () => {
      const unready = await keys.create();
      const active = await keys.active();
      signingKeyOf(await keys.revoke(active.kid));

      const next = await keys.active();
      expect([active.kid, unready.kid]).not.toContain(next.kid);
      expect(timesOf(next)).toMatchObject({ create: freeze(), activate: freeze() });
      expect(await signingKid(suite.app)).toBe(next.kid);
      expect(await published()).toContain(next.kid);
    });

    it('cannot return to an earlier state', async () => {
      const retired = await keys.active();
      const revoked = await keys.create();
      signingKeyOf(await keys.revoke(revoked.kid));
      const next = await keys.create();
      signingKeyOf(await keys.activate(next.kid, true));

      for (const force of [false, true]) {
        await refused(keys.activate(retired.kid, force), 'conflict', 'is retired');
        await refused(keys.activate(revoked.kid, force), 'conflict', 'is revoked');
      }
      advance(311);
      await refused(keys.activate(retired.kid, true), 'conflict', 'is removed');
      await refused(keys.revoke(retired.kid), 'conflict', 'is removed');
      expect((await keys.active()).kid).toBe(next.kid);
    });

    it('accept a change that was already made', async () => {
      const { kid } = await keys.active();
      const before = await keys.find(kid);
      expect(signingKeyOf(await keys.activate(kid))).toEqual(before);
      const other = await keys.create();
      const revoked = signingKeyOf(await keys.revoke(other.kid));
      advance(1);
      expect(signingKeyOf(await keys.revoke(other.kid))).toEqual(revoked);
    });

    it('include one active key after concurrent activations', async () => {
      const made: string[] = [];
      for (let i = 0; i < 10; i++) made.push((await keys.create()).kid);
      const answers = await Promise.all([...made, ...made].map((kid) => keys.activate(kid, true)));

      const active = await keys.active();
      expect(made).toContain(active.kid);
      expect(await signingKid(suite.app)).toBe(active.kid);
      for (const answer of answers) {
        if (!answer.ok) expect(answer.error.code).toBe('conflict');
      }
      const kept = (await keys.list()).filter(({ kid }) => made.includes(kid));
      expect(kept.filter(({ state }) => state === RETIRED)).toHaveLength(9);
    });
  });
});

async function refused(answer: Promise<KeyAnswer>, code: string, message: string): Promise<void> {
  const error = { code, message: expect.stringContaining(message) };
  expect(await answer).toMatchObject({ ok: false, error });
}

/** Whether a token is valid, asked with a valid one. */
async function isActive(suite: Suite, transport: TransportName, token: string): Promise<boolean> {
  const own = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
  const credential = { authorization: `Bearer ${own}` };
  const { verifyToken } = VerificationService.method;
  return messageOf(await suite.transport(transport).call(verifyToken, { token }, credential))
    .active;
}

async function storedState({ app }: Suite, kid: string): Promise<string> {
  const { state } = await app.inside.db
    .selectFrom('signing_keys')
    .select('state')
    .where('kid', '=', kid)
    .executeTakeFirstOrThrow();
  return state;
}
