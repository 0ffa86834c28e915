import { afterAll, beforeAll, expect, it } from 'vitest';
import { IssuanceService } from '../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../gen/latchkey/identity/v1/verification_pb.js';
import { type Door, openDoors } from './support/doors.ts';
import { describeDialects, startTestApp, type TestApp } from './support/harness.ts';

describeDialects('issuing a service token', (dialect) => {
  let test: TestApp;
  let doors: Door[];
  beforeAll(async () => {
    test = await startTestApp({ dialect });
    doors = openDoors(test.app);
  });
  afterAll(async () => {
    for (const door of doors) door.close();
    await test.remove();
  });

  it('answers the same through every door', async () => {
    for (const door of doors) {
      const answer = await door.call(IssuanceService.method.issueToken, {
        clientId: test.env.CLIENT_ID,
        clientSecret: test.env.CLIENT_SECRET,
        scope: 'accounts:read',
      });
      expect(answer, door.name).toMatchObject({ ok: true, message: { scope: 'accounts:read' } });
      const keys = await door.call(VerificationService.method.getJwks, {});
      expect(keys, door.name).toMatchObject({ ok: true });
      const bad = await door.call(VerificationService.method.verifyToken, { token: '' });
      expect(bad, door.name).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
    }
  });
});
