// The audit log records who changed which object. An event is written in the transaction of its
// change, so that neither is stored without the other.

import type { HandlerContext } from '@connectrpc/connect';
import { requireEnabledCaller } from '../api/access/privilege.ts';
import type { MethodFacts } from '../api/endpoint.ts';
import { claimOf } from '../api/idempotency/claim.ts';
import { actingClientOf, type Caller, callerOf, principalId, tokenIdOf } from '../api/principal.ts';
import type { Clock } from '../base/clock.ts';
import { newId, type Random } from '../base/crypto/ids.ts';
import { transact } from '../storage/database.ts';
import type { DiskReserve } from '../storage/disk-reserve.ts';
import type { AuditEventRow, Database, Executor } from '../storage/schema/schema.ts';
import { insertEvent, insertEvents } from './store.ts';

export type Change = {
  /** The id of the changed object. Each of several objects gets an event. */
  readonly target: string | readonly string[];
  /** Who made the change, if a public method has authenticated the actor itself. */
  readonly actor?: { readonly type: 'service' | 'staff' | 'member'; readonly id: string };
  /** Returns what the change was about, after the work. */
  readonly reason?: () => string;
};

type SystemChange = Change & {
  /** Takes access away, so it has to work on a full disk. Methods have an option for this. */
  readonly revokes?: boolean;
};

/** Awaits only the database. `also` records a change that the service makes by itself. */
type Work<T> = (trx: Executor, also: (action: string, target: string) => void) => Promise<T>;

/** A request over a route that is not an rpc. */
export type RouteOrigin = {
  /** Has the form of a method's name. */
  readonly action: string;
  readonly requestId: string;
  readonly address: string;
};

/** The outcome of a sign-in: the new session, and the user. */
export type SignedIn = {
  readonly target: string;
  readonly actor: { readonly type: 'staff' | 'member'; readonly id: string };
};

export type AuditLog = {
  change<T>(context: HandlerContext, change: Change, work: Work<T>): Promise<T>;
  /** Also records the answer, for a call with an Idempotency-Key. */
  create<T extends object>(context: HandlerContext, change: Change, work: Work<T>): Promise<T>;
  /** A sign-in over a route. The work finds out who signs in. */
  signIn<T extends SignedIn>(origin: RouteOrigin, work: Work<T>): Promise<T>;
  refuseSignIn(origin: RouteOrigin, target: string): Promise<void>;
  /** A change that the service makes by itself. `action` has the form of a method's name. */
  changeBySystem<T>(action: string, change: SystemChange, work: Work<T>): Promise<T>;
};

/** Options of every service that changes resources. */
export type ManagementOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly random: Random;
  readonly now: Clock;
};

export type AuditLogOptions = {
  readonly db: Database;
  /** Lets calls that take access away work on a full disk. Commands have none. */
  readonly reserve?: Pick<DiskReserve, 'use'>;
  readonly random: Random;
  readonly now: Clock;
};

export function createAuditLog({ db, reserve, random, now }: AuditLogOptions): AuditLog {
  const rowOf = (origin: EventOrigin, target: string, code = 'ok'): AuditEventRow => ({
    ...{ id: newId('evt', random), create_time: now(), target, code, reason: '', count: 1 },
    ...origin,
  });
  function make<T>(
    event: EventOrigin,
    change: Change,
    work: Work<T>,
    finish?: (trx: Executor, result: T) => Promise<void>,
  ): Promise<T> {
    return transact(db, async (trx) => {
      const { target, actor } = change;
      const by = actor === undefined ? {} : { actor_type: actor.type, actor_id: actor.id };
      const rows = [target].flat().map((about) => rowOf({ ...event, ...by }, about));
      const { request_id } = event;
      const done = await work(trx, (action, about) => {
        rows.push(rowOf({ ...systemOrigin, request_id, action }, about));
      });
      const reason = change.reason?.() ?? '';
      const events = rows.map((row) => ({ ...row, reason }));
      await insertEvents(trx, events);
      await finish?.(trx, done);
      return done;
    });
  }
  const within = <T>(revokes: boolean, run: () => Promise<T>) =>
    revokes && reserve ? reserve.use(run) : run();
  return {
    change(context, change, work) {
      const caller = callerOf(context);
      if (claimOf(context) !== undefined) {
        throw new Error(`${caller.method.name} accepts an Idempotency-Key and must use create`);
      }
      return within(caller.method.access.revokes, () => make(originOf(caller), change, work));
    },
    create(context, change, work) {
      const claim = claimOf(context);
      return make(originOf(callerOf(context)), change, work, async (trx, answer) => {
        await requireEnabledCaller(trx, context);
        await claim?.record(trx, answer);
      });
    },
    signIn(origin, work) {
      return transact(db, async (trx) => {
        const rows: AuditEventRow[] = [];
        const request_id = origin.requestId;
        const done = await work(trx, (action, about) => {
          rows.push(rowOf({ ...systemOrigin, request_id, action }, about));
        });
        const { target, actor } = done;
        const by = { actor_type: actor.type, actor_id: actor.id };
        rows.unshift(rowOf({ ...eventOf(origin), ...by }, target));
        await insertEvents(trx, rows);
        return done;
      });
    },
    async refuseSignIn(origin, target) {
      const row = rowOf(eventOf(origin), target, 'identity.credential_invalid');
      await transact(db, (trx) => insertEvent(trx, row));
    },
    changeBySystem: (action, change, work) =>
      within(change.revokes === true, () => make({ ...systemOrigin, action }, change, work)),
  };
}

type EventOrigin = Pick<
  AuditEventRow,
  'actor_type' | 'actor_id' | 'acting_client' | 'token_id' | 'action' | 'request_id' | 'address'
>;

export const systemOrigin = {
  ...{ actor_type: 'system', actor_id: '', acting_client: '', token_id: '' },
  ...{ request_id: '', address: '' },
};

const eventOf = ({ action, requestId, address }: RouteOrigin): EventOrigin => ({
  ...{ actor_type: 'anonymous', actor_id: '', acting_client: '', action, address },
  ...{ token_id: '', request_id: requestId },
});

export function originOf({
  principal,
  call,
  method,
}: Pick<Caller, 'principal' | 'call' | 'method'>): EventOrigin {
  return {
    actor_type: principal.type,
    actor_id: principalId(principal),
    acting_client: actingClientOf(principal),
    token_id: tokenIdOf(principal),
    action: actionOf(method),
    request_id: call.requestId,
    address: call.peer,
  };
}

function actionOf({ descriptor }: MethodFacts): string {
  return `${descriptor.parent.name}.${descriptor.name}`;
}
