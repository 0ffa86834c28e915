import { getOption } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { SigningKeyState } from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { http as httpOption } from '../../gen/latchkey/options/v1/http_pb.js';
import { jwksMaxAgeSeconds } from '../../src/identity/keys/lifecycle.ts';
import { describeApp } from '../support/app-suite.ts';
import { callJson } from '../support/json-calls.ts';
import { managerCredential } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { oneKeyEachTime, signingKeyOf, signingKid, timesOf } from '../support/signing-keys.ts';

const { PENDING } = SigningKeyState;

it('a key is pending for the max-age of the JWKS', () => {
  const { publicMaxAgeSeconds } = getOption(VerificationService.method.getJwks, httpOption);
  expect(jwksMaxAgeSeconds).toBe(publicMaxAgeSeconds);
});

describeApp('the signing keys', (suite) => {
  const { published, freeze, advance, manager } = oneKeyEachTime(suite);

  describeOneTransport(suite, (transport) => {
    const keys = manager(transport);

    it('begin as pending: published, and not signing', async () => {
      const before = await keys.active();
      const start = freeze();
      const key = await keys.create();

      expect(key.state).toBe(PENDING);
      expect(timesOf(key)).toEqual({ create: start, ready: start + 301_000 });
      expect(await published()).toContain(key.kid);
      expect(await signingKid(suite.app)).toBe(before.kid);
      expect(await keys.find(key.kid)).toEqual(key);
    });

    it('are at most twenty, without removed and revoked ones', async () => {
      const room = 20 - (await published()).length;
      const made: string[] = [];
      for (let i = 0; i < room; i++) made.push((await keys.create()).kid);

      await expect(keys.create()).rejects.toThrow('conflict');
      expect(await published()).toHaveLength(20);
      signingKeyOf(await keys.revoke(made[0] ?? ''));
      signingKeyOf(await keys.revoke(made[1] ?? ''));
      await keys.create();
      await keys.create();
      // The active key is still replaced.
      signingKeyOf(await keys.revoke((await keys.active()).kid));
      expect(await published()).toHaveLength(20);
    });
  });

  it('keep a private part only while they may sign', async () => {
    const keys = manager('grpc');
    signingKeyOf(await keys.activate((await keys.create()).kid, true));
    advance(311);
    await suite.app.inside.rotation.tick();
    signingKeyOf(await keys.activate((await keys.create()).kid, true));
    signingKeyOf(await keys.revoke((await keys.create()).kid));
    await keys.create();
    const rows = await suite.app.inside.db.selectFrom('signing_keys').selectAll().execute();
    expect(new Set(rows.map(({ state }) => state))).toEqual(
      new Set(['pending', 'active', 'retired', 'removed', 'revoked']),
    );
    for (const { state, private_ciphertext, master_key_id } of rows) {
      const maySign = state === 'pending' || state === 'active';
      expect([private_ciphertext !== '', master_key_id !== '']).toEqual([maySign, maySign]);
    }
  });

  it('record an event for each change, also for those that the service adds', async () => {
    const keys = manager('http');
    const created = await keys.create();
    signingKeyOf(await keys.activate(created.kid, true));
    signingKeyOf(await keys.revoke(created.kid));
    const { kid: next } = await keys.active();

    const events = await suite.app.inside.db
      .selectFrom('audit_events')
      .select(['actor_type', 'actor_id', 'action', 'target', 'code'])
      .where('target', 'in', [created.kid, next])
      .execute();
    const by = (actor_type: string, actor_id: unknown, method: string, target: string) => ({
      actor_type,
      actor_id,
      action: `SigningKeyService.${method}SigningKey`,
      target,
      code: 'ok',
    });
    const own = ['service', expect.stringMatching(/^cli_/)] as const;
    expect(events).toHaveLength(4);
    expect(events).toEqual(
      expect.arrayContaining([
        by(...own, 'Create', created.kid),
        by(...own, 'Activate', created.kid),
        by(...own, 'Revoke', created.kid),
        by('system', '', 'Replace', next),
      ]),
    );
  });

  it('are created over HTTP with 201, without their private part', async () => {
    const scope = 'signing_keys:write';
    const manager = await managerCredential(suite.app, scope);
    const { status, body } = await callJson(suite.app, 'POST', '/signing-keys', {}, manager);
    expect(status).toBe(201);
    expect(body).toEqual({
      kid: expect.stringMatching(/^[\w-]{43}$/),
      alg: 'EdDSA',
      state: 'SIGNING_KEY_STATE_PENDING',
      create_time: new Date(freeze()).toISOString().replace('.000Z', 'Z'),
      ready_time: new Date(freeze() + 301_000).toISOString().replace('.000Z', 'Z'),
    });
  });
});
