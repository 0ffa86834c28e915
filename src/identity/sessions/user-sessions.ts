// Listing and ending the sessions of another user.
import type { ServiceImpl } from '@connectrpc/connect';
import type { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { isUser, principalOf } from '../../api/principal.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { fail, requireFound } from '../../base/errors/errors.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import { endSessionsOf, findUserRow } from '../../storage/queries/users.ts';
import type { Database } from '../../storage/schema/schema.ts';
import type { RequireGrants } from '../users/grant-checks.ts';
import { isLiveSession } from './session.ts';
import { sessionMessage } from './session-message.ts';
import { endSessions, findSession, findSessions, sessionList } from './store.ts';

export type UserSessionOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly requireToEndSessions: RequireGrants;
  readonly now: Clock;
};

type UserSessionMethods = Pick<
  ServiceImpl<typeof SessionService>,
  'listUserSessions' | 'revokeUserSession' | 'revokeUserSessions'
>;

export function createUserSessionMethods(options: UserSessionOptions): UserSessionMethods {
  const { db, auditLog, requireToEndSessions, now } = options;

  return {
    async listUserSessions(request, context) {
      const { userId } = request;
      requireFound(await findUserRow(db, userId), 'user');
      const query = parseListRequest(request, sessionList.sorts, context.signal);
      const { rows, ...page } = await findSessions(db, userId, now(), query);
      const caller = principalOf(context);
      const currentId = isUser(caller) ? caller.sessionId : '';
      return { sessions: rows.map((row) => sessionMessage(row, currentId)), ...page };
    },

    async revokeUserSession({ userId, sessionId }, context) {
      await auditLog.change(context, { target: sessionId }, async (trx) => {
        await requireToEndSessions(trx, context, userId);
        const found = await findSession(trx, sessionId);
        if (found?.user.id !== userId || !isLiveSession(found.session, now())) {
          throw fail('not_found', 'The session does not exist or has ended.');
        }
        await endSessions(trx, [sessionId], now());
      });
      return {};
    },

    async revokeUserSessions({ userId }, context) {
      await auditLog.change(context, { target: userId }, async (trx) => {
        await requireToEndSessions(trx, context, userId);
        await endSessionsOf(trx, userId, { time: now() });
      });
      return {};
    },
  };
}
