// Every management action records one event. The methods come from the descriptors, so a new method
// is covered without a new case.
import type { DescMethod } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { SessionCookie } from '../../gen/latchkey/options/v1/access_pb.js';
import { methodFactsOf } from '../../src/api/endpoint.ts';
import { actionOf, callAction, callerOf, stateOf } from '../support/action-calls.ts';
import { describeApp } from '../support/app-suite.ts';
import { auditEventsOf, withFailingAuditLog } from '../support/audit-rows.ts';
import { managementActions } from '../support/management-actions.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { allMethods } from '../support/method-calls.ts';
import { itHoldsFor } from '../support/rule.ts';

/** Methods that are not marked NO_SIDE_EFFECTS although they change nothing. */
const noActions: Record<string, string> = {
  'VerificationService.VerifyToken':
    'it only reads; with the mark, clients would send the token in a URL',
  'InsightService.MarkNoticesRead': 'it only changes what the caller sees as new',
  'PasskeyService.StartPasskeyRegistration': 'it stores nothing; CreatePasskey is recorded',
  'SessionService.FindDeviceSignIn':
    'it only reads; with the mark, clients would send the code in a URL',
  'SessionService.RefreshSession': 'it only continues a session that SignIn has recorded',
};

/** Methods that count the attempt before they change anything, so that a failed one also counts. */
const counted = ['SessionService.ApproveDeviceSignIn', 'SessionService.DenyDeviceSignIn'];

const nameOf = (method: DescMethod) => `${method.parent.name}.${method.name}`;

const withEffects = allMethods.filter((method) => {
  const { access, sideEffects } = methodFactsOf(method);
  return sideEffects && !access.public;
});
const actions = withEffects.filter((method) => !(nameOf(method) in noActions));
const named = actions.map((method): [string, DescMethod] => [nameOf(method), method]);

describe('the methods with side effects', () => {
  it('each have a case or a reason not to', () => {
    const known = [...Object.keys(managementActions), ...Object.keys(noActions)];
    expect(known.sort()).toEqual(withEffects.map(nameOf).sort());
  });
});

const acceptsOnlyCookie = (method: DescMethod) =>
  methodFactsOf(method).access.sessionCookie === SessionCookie.REQUIRED;

/** The `jti` of a token; none for other credentials. */
function tokenIdIn({ authorization = '' }: { readonly authorization?: string }): string {
  const [, token = ''] = /^Bearer (\S+\.\S+\.\S+)$/.exec(authorization) ?? [];
  return token === '' ? '' : (decodeJwt(token).jti ?? '');
}

describeApp('the audit log', (suite) => {
  describeOneTransport(suite, (transport) => {
    itHoldsFor(named, 50)(
      'has one event for a successful call, and rolls back a call that has none',
      async (name, method) => {
        const { db } = suite.app.inside;
        const action = await actionOf(suite, name);
        const { credential, actor } = await callerOf(suite, method, action);
        const call = () => callAction(suite, transport, method, action.request, credential);
        // The notices of the earlier case are counted after its answer.
        await suite.app.inside.securityNotices.settle();
        // Those of earlier calls could expire, and be deleted, during this one.
        await db.deleteFrom('throttle_counters').execute();
        const without = counted.includes(name) ? ['throttle_counters'] : [];
        const before = await stateOf(suite, without);

        const failed = await withFailingAuditLog(db, suite.dialect, call);

        expect(failed.answer).toMatchObject({ ok: false, error: { code: 'internal' } });
        expect(await stateOf(suite, without)).toEqual(before);
        expect(await auditEventsOf(db, credential.requestId)).toEqual([]);

        const earliest = Date.now();
        const { answer, resources } = await call();

        expect(answer).toMatchObject({ ok: true });
        const { target } = action;
        const expected = typeof target === 'string' ? target : target(resources);
        expect(expected).toMatch(/./);
        const events = await auditEventsOf(db, credential.requestId);
        expect(events).toEqual([
          {
            id: expect.stringMatching(/^evt_[0-9A-Za-z]{22}$/),
            create_time: expect.any(Number),
            actor_type: action.callerType ?? 'service',
            actor_id: actor,
            action: name,
            target: expected,
            code: 'ok',
            count: 1,
            request_id: credential.requestId,
            address: '127.0.0.1',
            reason: expect.stringMatching(action.reason ?? /^$/),
            acting_client: '',
            token_id: acceptsOnlyCookie(method) ? '' : tokenIdIn(credential),
          },
        ]);
        expect(events[0]?.create_time).toBeGreaterThanOrEqual(earliest);
        expect(events[0]?.create_time).toBeLessThanOrEqual(Date.now());
      },
    );
  });
});
