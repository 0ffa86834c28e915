/**
 * Places moments on a line that stretches around now, so that the minutes in which a key becomes
 * ready and the weeks for which it signs can both be seen.
 */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Shown in any case: what is to come within minutes. */
const aroundMs = 6 * minute;

const marks: readonly (readonly [number, string])[] = [
  [-365 * day, '1 y ago'],
  [-30 * day, '30 d ago'],
  [-day, '1 d ago'],
  [-hour, '1 h ago'],
  [-5 * minute, '5 min ago'],
  [0, 'now'],
  [5 * minute, 'in 5 min'],
  [hour, 'in 1 h'],
  [day, 'in 1 d'],
];

export type Tick = { readonly label: string; readonly at: number };

export type Scale = {
  /** Where a moment stands: 0 to 100. */
  at(time: number): number;
  readonly ticks: readonly Tick[];
};

/** A scale on which all of the times find their place. All in milliseconds. */
export function scaleOf(times: readonly number[], now: number): Scale {
  const distances = [-aroundMs, aroundMs, ...times.map((time) => time - now)];
  const first = stretched(Math.min(...distances));
  const last = stretched(Math.max(...distances));
  const place = (distance: number) => ((stretched(distance) - first) / (last - first)) * 100;
  const ticks = marks.map(([distance, label]) => ({ label, at: place(distance) }));
  return {
    at: (time) => place(time - now),
    ticks: ticks.filter(({ at }) => at >= 0 && at <= 100),
  };
}

const stretched = (distance: number) =>
  Math.sign(distance) * Math.log1p(Math.abs(distance) / minute);
