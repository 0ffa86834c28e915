// Formats durations.

const minute = 60;
const hour = 60 * minute;

/** With at most two units: `45 s`, `2 min 5 s`, `1 h 30 min`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return 'less than 1 s';
  const seconds = Math.round(ms / 1000);
  if (seconds < minute) return `${seconds} s`;
  if (seconds < hour) return joinUnits(Math.floor(seconds / minute), 'min', seconds % minute, 's');
  const minutes = Math.round(seconds / minute);
  return joinUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

const joinUnits = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
