/**
 * A logarithmic time scale around now. It shows both the minutes until a key is ready and the weeks
 * for which it signs.
 */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The scale always covers at least this time before and after now. */
const aroundMs = 6 * minute;

/** Tick labels in order of priority: of two overlapping ones, the first is shown. */
const marks: readonly (readonly [number, string])[] = [
  [0, 'now'],
  [-30 * day, '30 d ago'],
  [-hour, '1 h ago'],
  [5 * minute, 'in 5 min'],
  [-day, '1 d ago'],
  [-5 * minute, '5 min ago'],
  [-365 * day, '1 y ago'],
  [hour, 'in 1 h'],
  [day, 'in 1 d'],
];

export type Tick = { readonly label: string; readonly at: number };

export type TimeScale = {
  /** The position of a time, from 0 to 100. */
  at(time: number): number;
  readonly ticks: readonly Tick[];
};

/**
 * Creates a scale that covers all times, in milliseconds. `distanceMin`: the smallest distance of
 * two tick labels, on the scale from 0 to 100.
 */
export function createTimeScale(
  times: readonly number[],
  now: number,
  distanceMin: number,
): TimeScale {
  const distances = [-aroundMs, aroundMs, ...times.map((time) => time - now)];
  const first = logDistance(Math.min(...distances));
  const last = logDistance(Math.max(...distances));
  const place = (distance: number) => ((logDistance(distance) - first) / (last - first)) * 100;
  const ticks: Tick[] = [];
  for (const [distance, label] of marks) {
    const at = place(distance);
    const isFree = ticks.every((tick) => Math.abs(tick.at - at) >= distanceMin);
    if (at >= 0 && at <= 100 && isFree) ticks.push({ label, at });
  }
  return { at: (time) => place(time - now), ticks };
}

const logDistance = (distance: number) =>
  Math.sign(distance) * Math.log1p(Math.abs(distance) / minute);
