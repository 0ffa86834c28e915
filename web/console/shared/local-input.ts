/** Formats a time in the local time zone as the value of a `datetime-local` field. */
export function toLocalInput(date: Date, precision: 'minutes' | 'seconds' = 'minutes'): string {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, precision === 'minutes' ? 16 : 19);
}
