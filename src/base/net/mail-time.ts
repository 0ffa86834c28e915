const format = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** Returns a time for a mail, such as `20 Nov 2026, 09:05 UTC`. */
export const mailTime = (ms: number): string => `${format.format(ms)} UTC`;
