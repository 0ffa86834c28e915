import { beforeAll, expect, it } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { describeApp } from '../support/app-suite.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor, liveSessions, subjectOf } from '../support/member-rows.ts';
import type { Credential } from '../support/transports.ts';
import { addSession, addUser } from '../support/user-rows.ts';

const { listUserSessions, revokeUserSession, revokeUserSessions, listSessions } =
  SessionService.method;
const forbidden = { ok: false, error: { code: 'forbidden' } };
const notFound = { ok: false, error: { code: 'not_found' } };

describeApp('the sessions of a user', (suite) => {
  const db = () => suite.app.inside.db;
  let staff: Credential;
  beforeAll(async () => {
    const scope = managementScopes.join(' ');
    const { id } = await addUser(db(), { scopes: scope });
    staff = await credentialFor(suite.testApp, { type: 'staff', sub: id, scope });
  });

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name);

    it('are listed for staff, newest first and without ended ones', async () => {
      const { id: userId } = await addUser(db());
      const first = await addSession(db(), userId, { createTime: Date.now() - 1_000 });
      const second = await addSession(db(), userId);
      const ended = await addSession(db(), userId);
      await call(revokeUserSession, { userId, sessionId: ended.id }, staff);

      const answer = await call(listUserSessions, { userId, pageSize: 1 }, staff);
      if (!answer.ok) throw new Error(answer.error.message);
      const { sessions, nextPageToken: pageToken } = answer.message;
      expect(sessions).toMatchObject([
        { id: second.id, address: '127.0.0.1', amr: ['pwd'], current: false },
      ]);
      expect(await call(listUserSessions, { userId, pageToken }, staff)).toMatchObject({
        message: { sessions: [{ id: first.id }], nextPageToken: '' },
      });
      expect(await call(listUserSessions, { userId: 'usr_none' }, staff)).toMatchObject(notFound);
    });

    it('end one by one, and their tokens stop working', async () => {
      const { id: userId } = await addUser(db(), { kind: 'member' });
      const own = await credentialFor(suite.testApp, { type: 'member', sub: userId, scope: '' });
      const { id: other } = await addSession(db(), userId);
      const { id: stranger } = await addUser(db());
      const { sid: sessionId } = subjectOf(own);
      const elsewhere = { userId: stranger, sessionId };
      expect(await call(revokeUserSession, elsewhere, staff)).toMatchObject(notFound);

      const ended = await call(revokeUserSession, { userId, sessionId }, staff);
      expect(ended).toMatchObject({ ok: true });
      expect(await liveSessions(db(), userId)).toEqual([other]);
      const refused = { ok: false, error: { code: 'unauthenticated' } };
      expect(await call(listSessions, {}, own)).toMatchObject(refused);
      expect(await call(revokeUserSession, { userId, sessionId }, staff)).toMatchObject(notFound);
    });

    it('end all at once, also without one', async () => {
      const { id: userId } = await addUser(db());
      for (let i = 0; i < 3; i++) await addSession(db(), userId);
      for (let i = 0; i < 2; i++) {
        expect(await call(revokeUserSessions, { userId }, staff)).toMatchObject({ ok: true });
        expect(await liveSessions(db(), userId)).toEqual([]);
      }
      expect(await call(revokeUserSessions, { userId: 'usr_none' }, staff)).toMatchObject(notFound);
    });

    it('do not end for a caller without the management scopes of the user', async () => {
      const { id: userId } = await addUser(db(), { scopes: 'audit:read' });
      const { id: sessionId } = await addSession(db(), userId);
      const limited = await credentialFor(suite.testApp, { type: 'service', scope: 'users:write' });
      expect(await call(revokeUserSession, { userId, sessionId }, limited)).toMatchObject(
        forbidden,
      );
      expect(await call(revokeUserSessions, { userId }, limited)).toMatchObject(forbidden);
      expect(await liveSessions(db(), userId)).toEqual([sessionId]);
    });
  });
});
