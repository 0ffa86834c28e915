// Calls that are more than may begin in one turn of the event loop, on each transport.
import { expect, onTestFinished, test } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import type { AdmissionLimits } from '../../src/transports/admission.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { openTransports, type Transport, transportNames } from '../support/transports.ts';

async function started(admissionLimits: Partial<AdmissionLimits>): Promise<TestApp> {
  const app = await startTestApp({ admissionLimits });
  onTestFinished(() => app.remove());
  return app;
}

function open({ app }: TestApp): Transport[] {
  const transports = openTransports(app);
  onTestFinished(() => {
    for (const transport of transports) transport.close();
  });
  return transports;
}

test('on each transport, a call beyond the limits is refused as unavailable', async () => {
  const test = await started({ callsPerTurnMax: 0, waitingMax: 0 });
  const refused: string[] = [];
  for (const transport of open(test)) {
    const answer = await transport.call(IssuanceService.method.issueToken, {
      clientId: test.env.CLIENT_ID,
      clientSecret: test.env.CLIENT_SECRET,
    });
    expect(answer).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    refused.push(transport.name);
  }
  expect(refused).toEqual(transportNames);
  const page = await fetch(`${test.app.publicUrl}/console`);
  expect(page.status).toBe(503);
  expect(page.headers.get('retry-after')).toBe('1');
  const ready = await fetch(`${test.app.opsUrl}/readyz`);
  expect(ready.status).toBe(200);
});

test('on each transport, calls that arrive together are served over several turns', async () => {
  const test = await started({ callsPerTurnMax: 1, waitMs: 60_000 });
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = test.env;
  const calls = open(test).flatMap((transport) =>
    Array.from({ length: 50 }, () =>
      transport.call(IssuanceService.method.issueToken, {
        clientId,
        clientSecret,
        scope: 'payments:read',
      }),
    ),
  );

  const answers = await Promise.all(calls);

  expect(answers.filter(({ ok }) => !ok)).toEqual([]);
  expect(answers).toHaveLength(150);
});

test('a request that waits when its client closes the connection is not served', async () => {
  // Without a place in any turn, requests wait for the time limit.
  const test = await started({ callsPerTurnMax: 0 });
  const connection = await openRawHttp(Number(new URL(test.app.publicUrl).port));
  await connection.write(requestHead('GET', '/nowhere', { Host: 'latchkey.test' }));
  connection.reset();

  await test.stop();

  expect(await test.logText()).not.toContain('/nowhere');
});
