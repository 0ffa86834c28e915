import { create } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type AuditEvent,
  AuditEventSchema,
  type AuditService,
  type ListAuditEventsRequest,
} from '../../gen/latchkey/identity/v1/audit_pb.js';
import { callerOf } from '../api/principal.ts';
import { invalid } from '../base/errors/errors.ts';
import { takeTurn } from '../base/limits/turns.ts';
import { type PageRequest, parsePageRequest } from '../storage/queries/page-token.ts';
import type { AuditEventRow, Database } from '../storage/schema/schema.ts';
import { findEvents } from './events.ts';
import { chunksOf, exportedMax, formats } from './export-formats.ts';
import { findNames, type NameAndParents, reachesOf } from './names/names.ts';
import type { EventFilter } from './store.ts';

type Filters = Pick<
  ListAuditEventsRequest,
  'tokenId' | 'target' | 'actor' | 'action' | 'code' | 'startTime' | 'endTime'
>;

export function createAuditService({ db }: { db: Database }): ServiceImpl<typeof AuditService> {
  async function read(filter: EventFilter, page: PageRequest, context: HandlerContext) {
    const { rows, nextPageToken } = await findEvents(db, filter, parsePageRequest(page));
    const ids = rows.flatMap((row) => [row.actor_id, row.target]);
    const names = await findNames(db, await reachesOf(callerOf(context)), ids);
    return { events: rows.map((row) => eventMessage(row, names)), nextPageToken };
  }

  return {
    listAuditEvents: (request, context) => read(filterOf(request), request, context),

    async *exportAuditEvents(request, context) {
      const filter = filterOf(request);
      const format = request.format === 'ndjson' ? formats.ndjson : formats.csv;
      const { name, contentType } = format;
      yield { part: { case: 'header', value: { name, contentType, generated: true } } };
      if (format.head.length > 0) yield { part: { case: 'chunk', value: format.head } };
      for (let pageToken: string | undefined = ''; pageToken !== undefined; ) {
        const page = { pageSize: exportedMax, pageToken };
        const { events, nextPageToken } = await read(filter, page, context);
        for (const value of chunksOf(format, events)) yield { part: { case: 'chunk', value } };
        pageToken = nextPageToken === '' ? undefined : nextPageToken;
        await takeTurn();
        // A long export ends when the caller leaves or loses access.
        context.signal.throwIfAborted();
        await callerOf(context).repeatCheck();
      }
    },
  };
}

function filterOf({ startTime, endTime, ...texts }: Filters): EventFilter {
  const start = firstMs(startTime);
  const end = firstMs(endTime);
  if (start !== undefined && end !== undefined && end <= start) {
    throw invalid('end_time', 'must be after start_time');
  }
  const { tokenId, target, actor, action, code } = texts;
  return { token_id: tokenId, target, actor_id: actor, action, code, start, end };
}

/** Rounds a time up to a whole millisecond, the precision of events. */
function firstMs(time: Timestamp | undefined): number | undefined {
  if (time === undefined) return undefined;
  return Number(time.seconds) * 1000 + Math.ceil(time.nanos / 1_000_000);
}

function eventMessage(row: AuditEventRow, names: ReadonlyMap<string, NameAndParents>): AuditEvent {
  const target = names.get(row.target);
  return create(AuditEventSchema, {
    id: row.id,
    createTime: timestampFromMs(row.create_time),
    actorType: row.actor_type,
    actor: row.actor_id,
    action: row.action,
    target: row.target,
    code: row.code,
    reason: row.reason,
    actingClient: row.acting_client,
    tokenId: row.token_id,
    count: row.count,
    requestId: row.request_id,
    address: row.address,
    actorName: names.get(row.actor_id)?.name ?? '',
    targetName: target?.name ?? '',
    targetParents: [...(target?.parents ?? [])],
  });
}
