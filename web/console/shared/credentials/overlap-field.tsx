import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { formatDateTime } from '../date-time.tsx';

const overlaps = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
  { value: '2592000', label: 'In 30 days' },
];

/** Seconds, as a form value. */
export const defaultOverlap = '86400';

/** Asks how long the old credential keeps working. */
export function OverlapField(props: NativeSelectProps) {
  return <NativeSelect data={overlaps} {...props} />;
}

export type OldCredentialTexts = {
  readonly expired: string;
  /** Followed by the time. */
  readonly worksUntil: string;
};

/** Says when the old credential expires. `createTime`: of the new one; `own`: expiry of the old. */
export function oldCredentialNote(
  { expired, worksUntil }: OldCredentialTexts,
  overlap: string,
  createTime: Timestamp | undefined,
  own?: Timestamp,
): string {
  if (overlap === '0') return expired;
  const time = createTime === undefined ? Date.now() : timestampDate(createTime).getTime();
  return `${worksUntil} ${formatOverlapEnd(time, overlap, own)}.`;
}

/**
 * Formats when a credential expires that is replaced at `time`, in milliseconds since 1970: after
 * the overlap, in seconds, or at its own expiry if that is earlier.
 */
export function formatOverlapEnd(time: number, overlap: string, own?: Timestamp): string {
  const end = time + Number(overlap) * 1000;
  return formatDateTime(
    new Date(own === undefined ? end : Math.min(end, timestampDate(own).getTime())),
  );
}
