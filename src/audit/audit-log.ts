// The audit log: who did what to what. An event is written in the transaction of the change that
// it tells of, so that there is never the one without the other.

import type { HandlerContext } from '@connectrpc/connect';
import type { MethodFacts } from '../api/endpoint.ts';
import { type Caller, callerOf, principalId } from '../api/principal.ts';
import type { Clock } from '../clock.ts';
import { newId, type Random } from '../crypto/ids.ts';
import { transact } from '../storage/database.ts';
import type { AuditEventRow, Database, Executor } from '../storage/schema.ts';
import { insertEvents } from './store.ts';

export type Change = {
  /** The id of what is changed. */
  readonly target: string;
};

/**
 * What is done within the change's transaction: await nothing but the database. `also` tells of
 * what the service does by itself on top of it.
 */
type Work<T> = (trx: Executor, also: (action: string, target: string) => void) => Promise<T>;

export type AuditLog = {
  /**
   * Makes a change that a caller has asked for, in a transaction with its event.
   */
  change<T>(context: HandlerContext, change: Change, work: Work<T>): Promise<T>;
  /** The same for what the service does by itself, in the words of a method. */
  changeBySystem<T>(action: string, change: Change, work: Work<T>): Promise<T>;
};

export type AuditLogOptions = {
  readonly db: Database;
  readonly random: Random;
  readonly now: Clock;
};

export function createAuditLog({ db, random, now }: AuditLogOptions): AuditLog {
  function make<T>(event: EventOrigin, change: Change, work: Work<T>): Promise<T> {
    const rowOf = (origin: EventOrigin, about: string): AuditEventRow => ({
      id: newId('evt', random),
      create_time: now(),
      target: about,
      code: 'ok',
      count: 1,
      ...origin,
    });
    return transact(db, async (trx) => {
      const rows = [rowOf(event, change.target)];
      const { request_id } = event;
      const done = await work(trx, (action, about) => {
        rows.push(rowOf({ ...system, request_id, action }, about));
      });
      await insertEvents(trx, rows);
      return done;
    });
  }
  return {
    change: (context, change, work) => make(originOf(callerOf(context)), change, work),
    changeBySystem: (action, change, work) => make({ ...system, action }, change, work),
  };
}

type EventOrigin = Pick<
  AuditEventRow,
  'actor_type' | 'actor_id' | 'action' | 'request_id' | 'address'
>;

const system = { actor_type: 'system', actor_id: '', request_id: '', address: '' };

/** Who did what from where. */
export function originOf({ principal, call, method }: Omit<Caller, 'membershipsOf'>): EventOrigin {
  return {
    actor_type: principal.type,
    actor_id: principalId(principal),
    action: actionOf(method),
    request_id: call.requestId,
    address: call.peer,
  };
}

/** `ClientService.CreateClient` */
function actionOf({ descriptor }: MethodFacts): string {
  return `${descriptor.parent.name}.${descriptor.name}`;
}
