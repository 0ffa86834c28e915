import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { AuditService } from '../../gen/latchkey/identity/v1/audit_pb.js';
import { callerOf } from '../api/principal.ts';
import { invalid } from '../base/errors/errors.ts';
import { parsePageRequest } from '../storage/page-token.ts';
import type { AuditEventRow, Database } from '../storage/schema.ts';
import { findEvents } from './events.ts';
import { findNames, type NameAndParents, reachesOf } from './names/names.ts';

export function createAuditService({ db }: { db: Database }): ServiceImpl<typeof AuditService> {
  return {
    async listAuditEvents(request, context) {
      const { target, actor, action, code } = request;
      const start = firstMs(request.startTime);
      const end = firstMs(request.endTime);
      if (start !== undefined && end !== undefined && end <= start) {
        throw invalid('end_time', 'must be after start_time');
      }
      const query = parsePageRequest(request);
      const filter = { target, actor_id: actor, action, code, start, end };
      const { rows, nextPageToken } = await findEvents(db, filter, query);
      const ids = rows.flatMap((row) => [row.actor_id, row.target]);
      const names = await findNames(db, await reachesOf(callerOf(context)), ids);
      return { events: rows.map((row) => eventMessage(row, names)), nextPageToken };
    },
  };
}

/** Rounds a time up to a whole millisecond, the precision of events. */
function firstMs(time: Timestamp | undefined): number | undefined {
  if (time === undefined) return undefined;
  return Number(time.seconds) * 1000 + Math.ceil(time.nanos / 1_000_000);
}

function eventMessage(row: AuditEventRow, names: ReadonlyMap<string, NameAndParents>) {
  const target = names.get(row.target);
  return {
    id: row.id,
    createTime: timestampFromMs(row.create_time),
    actorType: row.actor_type,
    actor: row.actor_id,
    action: row.action,
    target: row.target,
    code: row.code,
    reason: row.reason,
    actingClient: row.acting_client,
    count: row.count,
    requestId: row.request_id,
    address: row.address,
    actorName: names.get(row.actor_id)?.name ?? '',
    targetName: target?.name ?? '',
    targetParents: [...(target?.parents ?? [])],
  };
}
