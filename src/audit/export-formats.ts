// The files of an export of the audit log.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { type AuditEvent, AuditEventSchema } from '../../gen/latchkey/identity/v1/audit_pb.js';
import { responseJson } from '../api/response-json.ts';
import { csvText, timeText } from '../base/csv.ts';

export const exportedMax = 200;

const chunkBytesMax = 256 * 1024;

export function* chunksOf(format: Format, events: readonly AuditEvent[]): Iterable<Uint8Array> {
  const bytes = format.write(events);
  for (let at = 0; at < bytes.length; at += chunkBytesMax) {
    yield bytes.subarray(at, at + chunkBytesMax);
  }
}

type Format = {
  readonly name: string;
  readonly contentType: string;
  /** Empty if the file begins with the first event. */
  readonly head: Uint8Array;
  write(events: readonly AuditEvent[]): Uint8Array;
};

const columns = [
  ...['create_time', 'actor_type', 'actor', 'actor_name', 'action', 'target', 'target_name'],
  ...['code', 'reason', 'acting_client', 'count', 'address', 'request_id', 'id', 'token_id'],
];

const csvRow = (event: AuditEvent) => [
  event.createTime === undefined ? '' : timeText(timestampMs(event.createTime)),
  ...[event.actorType, event.actor, event.actorName, event.action],
  ...[event.target, event.targetName, event.code, event.reason, event.actingClient],
  ...[event.count, event.address, event.requestId, event.id, event.tokenId],
];

const jsonLine = (event: AuditEvent) =>
  `${JSON.stringify(responseJson(AuditEventSchema, event))}\n`;

export const formats = {
  csv: {
    name: 'audit-events.csv',
    contentType: 'text/csv; charset=utf-8',
    head: csvText([columns]),
    write: (events) => csvText(events.map(csvRow)),
  },
  ndjson: {
    name: 'audit-events.ndjson',
    contentType: 'application/x-ndjson',
    head: Buffer.of(),
    write: (events) => Buffer.from(events.map(jsonLine).join('')),
  },
} satisfies Record<string, Format>;
