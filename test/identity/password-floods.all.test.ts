// Sign-ins while one caller keeps changing a password, and while the queue is full.
import { pbkdf2 } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { startPlace } from '../support/app-suite.ts';
import { CookieClient } from '../support/cookie-client.ts';
import type { TestAppOptions } from '../support/harness.ts';
import { callJson } from '../support/json-calls.ts';
import { codeOf } from '../support/manager-calls.ts';
import { describeFeature } from '../support/matrix.ts';
import { credentialFor } from '../support/member-rows.ts';
import { addUser } from '../support/user-rows.ts';

const { setPassword } = UserService.method;
const password = 'correct horse battery staple';

/** Occupies the thread pool, which computes passwords, until the returned function is called. */
function occupyThreadPool(): () => void {
  let isOver = false;
  function compute(): void {
    if (!isOver) pbkdf2('', '', 50_000, 64, 'sha512', compute);
  }
  for (let i = 0; i < 64; i++) compute();
  return () => {
    isOver = true;
  };
}

describeFeature('sign-ins', (dialect) => {
  async function start({ config, ...options }: TestAppOptions = {}) {
    // On a slow machine, calls wait for a connection to the database for long.
    const patient = { databaseConnectSeconds: 60, databaseQuerySeconds: 60 };
    return startPlace({ ...options, dialect, config: { ...config, ...patient } });
  }

  it('succeed while a member changes a password 130 times at once', async () => {
    const { testApp, db, transport } = await start();
    const [http, connect] = [transport('http'), transport('connect')];
    const { id: userId } = await addUser(db, { kind: 'member', password });
    const { email } = await addUser(db, { scopes: 'users:read', password });
    const member = await credentialFor(testApp, { type: 'member', sub: userId, scope: '' });
    const request = { userId, password, currentPassword: password };
    const changes = new Set<string>();
    let isOver = false;
    // Also after a failure, so that the flood does not reach the next test.
    onTestFinished(() => {
      isOver = true;
    });
    const change = async () => {
      do {
        changes.add(codeOf(await http.call(setPassword, request, member)));
      } while (!isOver);
    };

    const flood = Array.from({ length: 130 }, change);
    const codes: string[] = [];
    for (let i = 0; i < 4; i++) {
      codes.push(codeOf(await new CookieClient(connect).signIn({ email, password })));
    }
    isOver = true;
    await Promise.all(flood);

    expect(codes).toEqual(Array(4).fill('ok'));
    // A change at the same time is a conflict.
    changes.delete('conflict');
    expect(changes).toEqual(new Set(['ok', 'rate_limited']));
  }, 120_000);

  it('do not count as guesses if they were rejected because the queue was full', async () => {
    const config = { trustedProxies: ['127.0.0.1'] };
    // The clock stands still, so that no attempt is forgotten.
    const startTime = Date.now();
    const { app, db } = await start({ config, now: () => startTime });
    // Passwords are computed more slowly than sign-ins arrive, on any machine.
    const freeThreadPool = occupyThreadPool();
    onTestFinished(freeThreadPool);
    const attempt = async (i: number) => {
      const from = { 'x-forwarded-for': `192.0.${i >> 8}.${i & 255}` };
      const fields = { email: `user-${i}@example.com`, password };
      const { status } = await callJson(app, 'POST', '/sessions', fields, from);
      if (status === 503) freeThreadPool();
      return status;
    };

    const answers = await Promise.all(Array.from({ length: 400 }, (_, i) => attempt(i)));

    const wrong = answers.filter((status) => status === 401).length;
    expect(answers.filter((status) => status === 503)).toHaveLength(400 - wrong);
    expect(wrong).toBeLessThan(400);
    const counted = db.selectFrom('throttle_counters').select('key');
    // One each for the network, the user, and both.
    expect(await counted.where('level_time', '>', startTime).execute()).toHaveLength(3 * wrong);
  }, 120_000);
});
