import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { formatDateTime } from '../date-time.tsx';

const overlaps = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
  { value: '2592000', label: 'In 30 days' },
];

/** In seconds, as the field holds it. */
export const defaultOverlap = '86400';

/** Asks for how long what is replaced stays good. */
export function OverlapField(props: NativeSelectProps) {
  return <NativeSelect data={overlaps} {...props} />;
}

/** What becomes of what is replaced, as its replacement is shown. */
export type OldCredentialTexts = {
  readonly ended: string;
  /** Before the time. */
  readonly goesOn: string;
};

/** `createTime`: of the replacement. `own`: when what is replaced ends by itself. */
export function oldCredentialNote(
  { ended, goesOn }: OldCredentialTexts,
  overlap: string,
  createTime: Timestamp | undefined,
  own?: Timestamp,
): string {
  if (overlap === '0') return ended;
  const time = createTime === undefined ? Date.now() : timestampDate(createTime).getTime();
  return `${goesOn} ${formatOverlapEnd(time, overlap, own)}.`;
}

/**
 * Until when something is good that is replaced at a time, in milliseconds since 1970: for the
 * overlap, in seconds, or until it ends by itself, if that is sooner.
 */
export function formatOverlapEnd(time: number, overlap: string, own?: Timestamp): string {
  const end = time + Number(overlap) * 1000;
  return formatDateTime(
    new Date(own === undefined ? end : Math.min(end, timestampDate(own).getTime())),
  );
}
