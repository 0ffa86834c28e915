// Client assertions and DPoP proofs that were accepted by one node are refused by every other.
import { beforeAll, describe, expect, it } from 'vitest';
import { startAppPair } from '../support/app-pair.ts';
import {
  clientAssertionType,
  clientWithKey,
  keyScope,
  signAssertion,
} from '../support/client-keys.ts';
import { digestOf, fetchNonce, type Holder, makeHolder } from '../support/dpop.ts';
import { callForm } from '../support/json-calls.ts';
import { addClient } from '../support/owner-rows.ts';
import { findFailures } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

type Headers = Readonly<Record<string, string>>;

/** Sends the same request to a node. Returns whether it is accepted. */
type Send = (node: 0 | 1) => Promise<boolean>;

describe('two nodes', () => {
  const pair = useStarted(() => startAppPair('postgres', {}));
  let holder: Holder;
  let key: Awaited<ReturnType<typeof clientWithKey>>;
  let form: Record<string, string>;
  beforeAll(async () => {
    const [{ app }] = pair.apps;
    holder = await makeHolder();
    key = await clientWithKey({ app });
    const { ownerId, text } = await addClient(app.inside.db, 'audit:read');
    form = {
      ...{ grant_type: 'client_credentials', scope: 'audit:read' },
      ...{ client_id: ownerId, client_secret: text },
    };
  });

  const issue = async (node: 0 | 1, fields: Record<string, string>, headers: Headers = {}) => {
    const publicUrl = pair.origins[node];
    const { status, body } = await callForm({ publicUrl }, '/tokens', fields, headers);
    if (status !== 200) expect(body.error).toMatch(/^(invalid_client|invalid_dpop_proof)$/);
    return String(body.access_token ?? '');
  };

  const sendAssertion = async (): Promise<Send> => {
    const assertion = await signAssertion(key.privateKey, key.id, pair.apps[0].app.publicUrl);
    const fields = {
      ...{ grant_type: 'client_credentials', scope: keyScope },
      ...{ client_assertion_type: clientAssertionType, client_assertion: assertion },
    };
    return async (node) => (await issue(node, fields)) !== '';
  };

  /** The nonce is of the first node. The second one accepts it, too. */
  const makeProof = async () => {
    const [{ app }] = pair.apps;
    return holder.prove({ htu: `${app.publicUrl}/tokens`, nonce: await fetchNonce(app, form) });
  };

  const sendProof = async (): Promise<Send> => {
    const dpop = await makeProof();
    return async (node) => (await issue(node, form, { dpop })) !== '';
  };

  const sendCall = async (): Promise<Send> => {
    const token = await issue(0, form, { dpop: await makeProof() });
    const htu = `${pair.apps[0].app.publicUrl}/audit-events`;
    const dpop = await holder.prove({ htm: 'GET', htu, ath: digestOf(token) });
    const headers = { authorization: `DPoP ${token}`, dpop };
    return async (node) =>
      (await fetch(`${pair.origins[node]}/audit-events`, { headers })).status === 200;
  };

  it('accept an assertion or a proof once', async () => {
    const cases: [string, () => Promise<Send>][] = [
      ['a client assertion', sendAssertion],
      ['a proof for a token', sendProof],
      ['a proof for a call', sendCall],
    ];
    const failures = await findFailures(cases, async (_name, make) => {
      for (const [first, second] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const send = await make();
        expect(await send(first)).toBe(true);
        expect(await send(second)).toBe(false);
      }
      const together = await make();
      const answers = await Promise.all([together(0), together(1)]);
      expect(answers.toSorted()).toEqual([false, true]);
    });
    expect(failures).toEqual([]);
    expect(cases).toHaveLength(3);
  });
});
