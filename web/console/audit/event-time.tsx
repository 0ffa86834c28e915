import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** To the second: events of a minute are told apart. */
export function EventTime({ event: { createTime } }: { readonly event: AuditEvent }) {
  if (createTime === undefined) return null;
  const date = timestampDate(createTime);
  return <time dateTime={date.toISOString()}>{format.format(date)}</time>;
}
