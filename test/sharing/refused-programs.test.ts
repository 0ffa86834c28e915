// Programs without access to a link that they read for a person.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { addDocument, makeFolder, makeRoom } from '../support/folder-calls.ts';
import { addClient } from '../support/owner-rows.ts';
import {
  email,
  type Headers,
  type Options,
  routes,
  useProgram,
} from '../support/program-readers.ts';
import { itHoldsFor } from '../support/rule.ts';
import { bearer, callSharingApi, type LinkFields } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';
import { exchangedToken, ownToken } from '../support/token-exchange.ts';

describeApp('a program that reads a link for a person', (suite) => {
  const program = useProgram(suite);
  const { test, open, personToken, delegated, credential, boundToken, revoke, viewsOf } = program;

  async function createAudience(): Promise<string> {
    const audience = { identifier: 'https://other.example', name: 'Other' };
    return (await program.manage('audiences:write', '/audiences', audience)).id;
  }

  /** Checks that each route refuses the request, with the same reason and without a byte. */
  async function expectRefused(
    { url }: Pick<LinkFields, 'url'>,
    headers: Headers,
    [status, detail]: readonly [number, RegExp],
  ): Promise<void> {
    for (const route of routes) {
      const answer = await fetch(url + route, { headers: { ...headers, range: 'bytes=0-9' } });
      const text = await answer.text();
      expect(JSON.parse(text), route).toMatchObject({
        status,
        detail: expect.stringMatching(detail),
      });
      expect(text).not.toMatch(/secret|PDF/);
      expect(answer.headers.get('etag')).toBeNull();
      expect(answer.headers.get('www-authenticate') !== null, 'a challenge').toBe(status === 401);
    }
  }

  const forbiddenToken = [403, /token of a token exchange for a user/] as const;
  const invalidToken = [401, /invalid, expired or revoked/] as const;
  const needsKey = [401, /bound to a key/] as const;

  type Credentials = readonly [
    name: string,
    make: () => Promise<Headers> | Headers,
    refusal: readonly [number, RegExp],
  ];
  const refusedCredentials: readonly Credentials[] = [
    ['the token of the person', async () => bearer(await personToken()), forbiddenToken],
    [
      'the token of the client for itself',
      async () => bearer(await ownToken(suite.app, program.place().agent, 'documents:read')),
      forbiddenToken,
    ],
    [
      'a token that acts for a customer',
      async () => {
        const token = await signToken(suite.app, { type: 'customer', scope: 'documents:read' });
        return bearer(await exchangedToken(suite.app, program.place().agent, token));
      },
      forbiddenToken,
    ],
    [
      'a token that acts for a client',
      async () => {
        const token = await signToken(suite.app, { type: 'service', scope: 'documents:read' });
        return bearer(await exchangedToken(suite.app, program.place().agent, token));
      },
      forbiddenToken,
    ],
    [
      'a token for another audience',
      async () => {
        const { db } = suite.app.inside;
        const state = { audienceIds: [await createAudience()], mayAct: ['service'] };
        const [subject, other] = [
          await addClient(db, 'documents:read', state),
          await addClient(db, 'documents:read', state),
        ];
        const token = await ownToken(suite.app, subject, 'documents:read');
        return bearer(await exchangedToken(suite.app, other, token));
      },
      invalidToken,
    ],
    [
      'a revoked token',
      async () => {
        const token = await delegated();
        await revoke(token);
        return bearer(token);
      },
      invalidToken,
    ],
    [
      'a token whose parent is revoked',
      async () => {
        const parent = await personToken();
        const token = await exchangedToken(suite.app, program.place().agent, parent);
        await revoke(parent);
        return bearer(token);
      },
      invalidToken,
    ],
    ['a text', () => bearer('x.y.z'), invalidToken],
    ['the key of the workspace', () => bearer(test().env.API_KEY), [401, /not API keys/]],
    [
      'the key as a DPoP token',
      () => ({ authorization: `DPoP ${test().env.API_KEY}` }),
      invalidToken,
    ],
    ['a bound token as Bearer', async () => bearer(await boundToken()), needsKey],
    [
      'a bound token without a proof',
      async () => ({ authorization: `DPoP ${await boundToken()}` }),
      needsKey,
    ],
  ];

  itHoldsFor(refusedCredentials, 12)('is refused with', async (_name, make, refusal) => {
    const link = await open();
    await expectRefused(link, await make(), refusal);
    expect(await viewsOf(link)).toEqual([]);
  });

  it('is refused without the scope, with an expired token, and for another document', async () => {
    const link = await open();
    const other = await credential({ scope: 'accounts:read' });
    const answer = await fetch(`${link.url}/file`, { headers: other });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('insufficient_scope');
    const valid = await credential();
    suite.clock.frozen = Date.now() + 600_000;
    await expectRefused(link, valid, invalidToken).finally(() => {
      suite.clock.frozen = undefined;
    });
    const folder = await makeFolder(test(), 'Room');
    const inside = await addDocument(test(), folder.id, 'Plan.txt');
    const room = await makeRoom(test(), folder.id, { program_access: true, allow_download: true });
    const url = (id: string) => ({ url: `${room.url}/documents/${id}` });
    await expectRefused(url(program.place().document.id), valid, [
      404,
      /does not show this document/,
    ]);
    expect((await fetch(`${url(inside.id).url}/download`, { headers: valid })).status).toBe(200);
  });

  const past = () => Date.now() + 30_000;
  type Rule = readonly [name: string, options: Options, refusal: readonly [number, RegExp]];
  const refusedLinks: readonly Rule[] = [
    ['no program_access', { program_access: false }, [403, /does not allow programs/]],
    ['a password', { password: 'correct horse' }, [403, /with a password/]],
    ['an agreement', { agreement: 'Keep it.' }, [403, /with an agreement/]],
    ['a blocked address', { block_list: [email] }, [403, /does not admit this person/]],
    ['a blocked domain', { block_list: ['@example.com'] }, [403, /does not admit this person/]],
    ['other readers', { allow_list: ['bob@example.com'] }, [403, /does not admit this person/]],
  ];

  itHoldsFor(refusedLinks, 6)('is refused by a link with', async (_name, options, refusal) => {
    const link = await open(options);
    await expectRefused(link, await credential(), refusal);
    expect(await viewsOf(link)).toEqual([]);
  });

  it('is refused by links that have ended, and by unknown ones as anyone is', async () => {
    const valid = await credential();
    const ended = [410, /has expired, was revoked, or has no views left/] as const;
    const expiring = await open({ expire_time: new Date(past()).toISOString() });
    suite.clock.frozen = past() + 1_000;
    await expectRefused(expiring, valid, ended).finally(() => {
      suite.clock.frozen = undefined;
    });
    const revoked = await open();
    await callSharingApi(test(), 'DELETE', `/links/${revoked.id}`);
    await expectRefused(revoked, valid, ended);
    const bodies = new Set<string>();
    for (const headers of [{}, valid, bearer('x.y.z'), { authorization: 'Basic eA==' }]) {
      const answer = await fetch(`${suite.app.publicUrl}/s/${'0'.repeat(22)}/file`, { headers });
      const { request_id: _, ...body } = (await answer.json()) as Record<string, unknown>;
      bodies.add(JSON.stringify([answer.status, body]));
    }
    expect([...bodies]).toEqual([expect.stringMatching(/^\[404,/)]);
  });
});
