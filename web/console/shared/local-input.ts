/** A moment in the reader's own zone, as a field of the type `datetime-local` holds it. */
export function toLocalInput(date: Date, precision: 'minutes' | 'seconds' = 'minutes'): string {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, precision === 'minutes' ? 16 : 19);
}
