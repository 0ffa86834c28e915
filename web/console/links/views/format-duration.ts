const minute = 60;
const hour = 60 * minute;

/** A time span in words, of two units at most: `45 s`, `2 min 5 s`, `1 h 30 min`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return 'less than 1 s';
  const seconds = Math.round(ms / 1000);
  if (seconds < minute) return `${seconds} s`;
  if (seconds < hour) return two(Math.floor(seconds / minute), 'min', seconds % minute, 's');
  const minutes = Math.round(seconds / minute);
  return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

const two = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
