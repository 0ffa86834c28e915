import { formatDuration } from '../../../clients/cli/src/base/format-duration.ts';

const format = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

export const mailTime = (ms: number): string => `${format.format(ms)} UTC`;

export const mailDuration = (ms: number): string => formatDuration(ms);
