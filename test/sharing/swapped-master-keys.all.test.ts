// Two nodes during a rotation of the master key. One has the old key as its current key and the new
// key as the previous one. The other node has the keys swapped.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMasterKey, type MasterKey } from '../../src/base/crypto/master-key.ts';
import { createSignedValues } from '../../src/base/crypto/signed-value.ts';
import { Failure } from '../../src/base/errors/errors.ts';
import { createSignInThrottle } from '../../src/identity/sessions/sign-in-throttle.ts';
import { createPasswordThrottle } from '../../src/sharing/gate/password-throttle.ts';
import { transact } from '../../src/storage/database.ts';
import { mailedLink } from '../support/gate-visitor.ts';
import { useSecretDocument } from '../support/gated-document.ts';
import { describeFeature } from '../support/matrix.ts';

const a = randomBytes(32);
const b = randomBytes(32);
const nodes = [createMasterKey(a, [b]), createMasterKey(b, [a])] as const;
/** The nodes in both orders. */
const orders = [nodes, [nodes[1], nodes[0]]] as const;

it('a value that one node signed is valid on the other, until its key is removed', () => {
  const signerOf = (masterKey: MasterKey) =>
    createSignedValues<string>({ keys: masterKey.derive('test'), now: Date.now });
  for (const [first, second] of orders) {
    const text = signerOf(first).sign('value', 60, 'context');
    expect(signerOf(second).verify(text, 'context')).toBe('value');
    expect(signerOf(second).verify(text, 'other')).toBeUndefined();
  }
  const ofOld = signerOf(nodes[0]).sign('value', 60, 'context');
  expect(signerOf(createMasterKey(a)).verify(ofOld, 'context')).toBe('value');
  expect(signerOf(createMasterKey(b)).verify(ofOld, 'context')).toBeUndefined();
});

const isLimited = (error: unknown) => {
  if (error instanceof Failure && error.code === 'rate_limited') return true;
  throw error;
};

describeFeature('nodes with swapped master keys', (dialect) => {
  const { app, clock, gated, gateCodes } = useSecretDocument(dialect);
  const now = () => clock.now;

  /** Returns the gate codes of a node, and the codes in its mails. */
  function codesOf(masterKey: MasterKey) {
    const sent: string[] = [];
    const receive = ({ text }: { text: string }) => sent.push(/\d{6}/.exec(text)?.[0] ?? '');
    return { ...gateCodes(receive, masterKey.derive('link codes')), sent };
  }

  it('accept each code of the other once, and send no second code at the same time', async () => {
    const { db } = app().app.inside;
    for (const [i, [first, second]] of orders.entries()) {
      const [sender, receiver] = [codesOf(first), codesOf(second)];
      const { id: linkId } = await gated({ email_verification_required: true });
      const target = { linkId, workspaceId: 'ws_1', email: `reader-${i}@example.com` };
      const requester = { network: '192.0.2.1', verifiedBrowser: undefined, visitor: 'v' };
      expect(await sender.send(target, requester, mailedLink)).toBe(0);

      expect(await receiver.send(target, requester, mailedLink)).toBeGreaterThan(0);

      const entered = { code: sender.sent[0] ?? '', visitor: 'v' };
      const redeem = () => transact(db, (trx) => receiver.redeem(trx, target, entered));
      expect([await redeem(), await redeem()]).toEqual([true, false]);
      expect(receiver.sent).toEqual([]);
    }
  });

  it('count wrong passwords of links and of users together', async () => {
    const { db } = app().app.inside;
    const links = nodes.map((node) =>
      createPasswordThrottle({ db, keys: node.derive('link password throttle'), now }),
    );
    const users = nodes.map((node) =>
      createSignInThrottle({ db, keys: node.derive('sign-in counters'), now }),
    );
    const guess = { linkId: 'lnk_a', network: '192.0.2.7', browser: undefined };
    const signIn = { email: 'ada@example.com', network: '192.0.2.7', device: undefined };
    const limitOf = async (count: (i: number) => Promise<unknown> | undefined) => {
      for (let i = 0; i < 30; i++) {
        if ((await count(i)?.catch(isLimited)) === true) return i;
      }
      return undefined;
    };

    expect(await limitOf((i) => links[i % 2]?.count(guess))).toBe(10);
    expect(await limitOf((i) => users[i % 2]?.count(signIn))).toBe(5);
  });

  it('both forget the attempts after a correct password', async () => {
    const { db } = app().app.inside;
    const [first, second] = nodes.map((node) =>
      createPasswordThrottle({ db, keys: node.derive('link password throttle'), now }),
    );
    const guess = { linkId: 'lnk_b', network: '192.0.2.8', browser: undefined };
    for (let i = 0; i < 9; i++) await first?.count(guess);
    const forget = await second?.count(guess);

    await forget?.();

    for (let i = 0; i < 10; i++) await first?.count(guess);
    await expect(first?.count(guess)).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
