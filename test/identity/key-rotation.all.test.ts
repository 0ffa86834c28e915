// Signing keys rotate automatically, without an effect on verifiers.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SigningKeyState } from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { jwksMaxAgeSeconds } from '../../src/identity/keys/lifecycle.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { startAppPair } from '../support/app-pair.ts';
import { CachingVerifier } from '../support/caching-verifier.ts';
import { freePort } from '../support/free-port.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { callJson } from '../support/json-calls.ts';
import { describeDialects } from '../support/matrix.ts';
import { signToken } from '../support/signed-tokens.ts';
import { keyManager, publishedKids, signingKeyOf } from '../support/signing-keys.ts';
import { openTransports, type Transport } from '../support/transports.ts';
import { useStarted } from '../support/use-started.ts';

const daySeconds = 86_400;
// Within a second, as a rule: a busy machine may take longer.
const soon = { timeout: 10_000, interval: 20 };

/** The automatic steps, from the audit log. */
async function stepsOf(db: Database): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('audit_events')
    .select('action')
    .where('actor_type', '=', 'system')
    .execute();
  const steps: Record<string, number> = {};
  for (const { action } of rows) {
    const name = action.replace(/^SigningKeyService\.|SigningKey$/g, '');
    steps[name] = (steps[name] ?? 0) + 1;
  }
  return steps;
}

/** The next step in seconds: small near a rotation, large on the days between. */
function stepAfter(secondOfDay: number): number {
  const untilNext = daySeconds - secondOfDay;
  const isCreated = untilNext > 3_200 && untilNext <= 3_660;
  const isActivatedOrRemoved = untilNext <= 60 || secondOfDay < 420;
  if (isCreated || isActivatedOrRemoved) return 20;
  return untilNext <= 4_700 ? 240 : 1_000;
}

async function issue(publicUrl: string, { env }: TestApp): Promise<string> {
  const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = env;
  const request = { client_id, client_secret, scope: 'accounts:read' };
  return (await callJson<{ access_token: string }>({ publicUrl }, 'POST', '/tokens', request)).body
    .access_token;
}

/** gRPC: the apps of a pair have different gRPC addresses. */
function transportOf({ app }: TestApp): Transport {
  const transports = openTransports(app);
  onTestFinished(() => transports.forEach((transport) => void transport.close()));
  const transport = transports.find(({ name }) => name === 'grpc');
  if (transport === undefined) throw new Error('there is no such transport');
  return transport;
}

function keysOf(test: TestApp) {
  const transport = transportOf(test);
  return keyManager(
    () => test.app,
    () => transport,
  );
}

describeDialects('a rotation of the keys', (dialect) => {
  const pair = useStarted(() => startAppPair(dialect, { keyRotationDays: 1 }));

  const tick = (index: number) => pair.apps[index % 2]?.app.inside.rotation.tick();
  const db = () => pair.apps[0].app.inside.db;
  /** Waits until every process knows a change; the test clock stands still meanwhile. */
  const settle = async () => {
    const [first, second] = pair.origins;
    const difference = async () => {
      const kids = await publishedKids(second);
      return (await publishedKids(first)).length - kids.length;
    };
    await expect.poll(difference, soon).toBe(0);
    expect(await publishedKids(second)).toEqual(await publishedKids(first));
  };

  it('does not disturb verifiers with full caches, with two processes', async () => {
    const { clock, origins, apps } = pair;
    const start = clock.now;
    const options = { issuer: apps[0].app.publicUrl, now: () => clock.now };
    const verifiers = [origins, origins.toReversed(), [origins[0]], [origins[1]]].map(
      (some) => new CachingVerifier({ ...options, origins: some }),
    );
    const kids = new Set<string | undefined>();
    const publishedSince = new Map<string | undefined, number>();
    let live: { token: string; exp: number }[] = [];
    let step = 20;

    for (let i = 0; clock.now < start + 3.1 * daySeconds * 1000; i++) {
      await tick(i);
      // One after the other, so that their caches expire at different times.
      if (i % 4 === 0) verifiers[(i / 4) % verifiers.length]?.restart();
      for (const kid of await publishedKids(origins[i % 2] ?? '')) {
        if (!publishedSince.has(kid)) publishedSince.set(kid, clock.now);
      }
      // Issued before the other process knows the key, and verified immediately by all.
      for (const origin of origins) {
        const token = await issue(origin, apps[0]);
        live.push({ token, exp: Number(decodeJwt(token).exp) * 1000 });
        const { kid } = decodeProtectedHeader(token);
        if (!kids.has(kid) && kids.size > 0) {
          const age = clock.now - (publishedSince.get(kid) ?? Number.NaN);
          expect(age).toBeGreaterThan(jwksMaxAgeSeconds * 1000);
        }
        kids.add(kid);
        for (const verifier of verifiers) expect(await verifier.verify(token)).toBe(kid);
      }
      await settle();
      step = stepAfter(((clock.now - start) / 1000) % daySeconds);
      for (const { token } of live.filter(({ exp }) => exp <= clock.now + step * 1000)) {
        for (const verifier of verifiers) await verifier.verify(token);
      }
      live = live.filter(({ exp }) => exp > clock.now + step * 1000);
      clock.now += step * 1000;
    }

    expect(kids.size).toBe(4);
    expect(await stepsOf(db())).toEqual({ Create: 3, Activate: 3, Remove: 3 });
    expect(await publishedKids(origins[0])).toHaveLength(1);
    for (const { fetched, unchanged } of verifiers) {
      expect(fetched).toBeGreaterThan(200);
      expect(unchanged).toBeGreaterThan(fetched / 3);
    }
  }, 300_000);

  it('happens once if many processes try it', async () => {
    const { clock } = pair;
    const before = await stepsOf(db());
    const tryAll = () => Promise.all(Array.from({ length: 10 }, (_, i) => tick(i)));
    const more = async () => {
      const after = await stepsOf(db());
      return Object.entries(after).map(([name, count]) => count - (before[name] ?? 0));
    };

    clock.now += daySeconds * 1000;
    await tryAll();
    expect(await more()).toEqual([1, 0, 0]);
    clock.now += 300_999;
    await tryAll();
    expect(await more()).toEqual([1, 0, 0]);
    clock.now += 1;
    await tryAll();
    expect(await more()).toEqual([1, 1, 0]);
    clock.now += 310_000;
    await tryAll();
    expect(await more()).toEqual([1, 1, 1]);
  });

  it('uses a key that was created beforehand', async () => {
    const { clock, apps } = pair;
    const keys = keysOf(apps[0]);
    const made = await keys.create();
    const { Create } = await stepsOf(db());
    clock.now += daySeconds * 1000;
    await tick(0);

    expect((await keys.active()).kid).toBe(made.kid);
    expect((await stepsOf(db())).Create).toBe(Create);
  });

  it('does not revive a key that one process has revoked', async () => {
    const { apps, origins } = pair;
    const keys = keysOf(apps[0]);
    const other = transportOf(apps[1]);
    const { kid } = await keys.active();
    const signed = () => signToken(apps[1].app, { type: 'service', scope: 'tokens:read' });
    const signingKid = async () => decodeProtectedHeader(await signed()).kid;
    await expect.poll(signingKid, soon).toBe(kid);
    const token = await signed();
    const { verifyToken } = VerificationService.method;
    const verdict = async () => {
      const answer = await other.call(verifyToken, { token }, { authorization: `Bearer ${token}` });
      return answer.ok ? answer.message.active : answer.error.code;
    };
    expect(await verdict()).toBe(true);

    expect(signingKeyOf(await keys.revoke(kid)).state).toBe(SigningKeyState.REVOKED);

    await expect.poll(verdict, soon).toBe('unauthenticated');
    expect(await publishedKids(origins[1])).not.toContain(kid);
    const { kid: next } = await keys.active();
    expect(decodeProtectedHeader(await issue(origins[1], apps[0])).kid).toBe(next);
  });
});

describeDialects('the keys of an app', (dialect) => {
  it('rotate by a timer, until the app is stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = { now: Date.now() };
    const test = await startTestApp({ dialect, now: () => clock.now });
    onTestFinished(() => test.remove());
    const { db } = test.app.inside;
    const steps = async () => {
      await vi.advanceTimersByTimeAsync(60_000);
      return stepsOf(db);
    };

    expect(await steps()).toEqual({});
    clock.now += 30 * daySeconds * 1000 - 3_600_000 - 1;
    expect(await steps()).toEqual({});
    clock.now += 1;
    await expect.poll(steps).toEqual({ Create: 1 });
    clock.now += 3_599_999;
    expect(await steps()).toEqual({ Create: 1 });
    clock.now += 1;
    await expect.poll(steps).toEqual({ Create: 1, Activate: 1 });
    clock.now += 310_000;
    await expect.poll(steps).toEqual({ Create: 1, Activate: 1, Remove: 1 });
    await test.app.inside.rotation.stop();
    clock.now += 60 * daySeconds * 1000;
    expect(await steps()).toEqual({ Create: 1, Activate: 1, Remove: 1 });
  });

  it('are published before use even if the app was down when they were due', async () => {
    const clock = { now: Date.now() };
    const now = () => clock.now;
    const first = await startTestApp({ dialect, now });
    const { dataDir, databaseUrl } = first;
    onTestFinished(() => first.remove());
    const old = await publishedKids(first.app.publicUrl);
    await first.stop();
    clock.now += 45 * daySeconds * 1000;

    const second = await startTestApp({ dataDir, now, config: { databaseUrl } });
    onTestFinished(() => second.stop());

    expect(await stepsOf(second.app.inside.db)).toEqual({ Create: 1 });
    const token = await signToken(second.app, { type: 'service', scope: 'accounts:read' });
    expect(old).toEqual([decodeProtectedHeader(token).kid]);
    expect(await publishedKids(second.app.publicUrl)).toHaveLength(2);
  });

  it('stay published for the tokens of a process with longer lifetimes', async () => {
    const clock = { now: Math.ceil(Date.now() / 1000) * 1000 };
    const now = () => clock.now;
    const http = { host: '127.0.0.1', port: await freePort() };
    const config = { http, serviceTokenSeconds: 3_600 };
    const first = await startTestApp({ dialect, now, config });
    const { dataDir, databaseUrl } = first;
    onTestFinished(() => first.remove());
    const { publicUrl } = first.app;
    const token = await issue(publicUrl, first);
    await first.stop();

    const later = { databaseUrl, http, serviceTokenSeconds: 60 };
    const second = await startTestApp({ dataDir, now, config: later });
    onTestFinished(() => second.stop());
    const keys = keysOf(second);
    const next = await keys.create();
    signingKeyOf(await keys.activate(next.kid, true));
    const verifier = new CachingVerifier({ origins: [publicUrl], issuer: publicUrl, now });

    clock.now += 3_599_999;
    expect(await verifier.verify(token)).not.toBe(next.kid);
    clock.now += 10_001;
    expect(await publishedKids(publicUrl)).toEqual([next.kid]);
  });
});
