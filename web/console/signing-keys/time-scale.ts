/**
 * Places moments on a line that stretches around now, so that the minutes in which a key becomes
 * ready and the weeks for which it signs can both be seen.
 */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Shown in any case: what is to come within minutes. */
const aroundMs = 6 * minute;

/** What is marked; of two marks that would stand on each other, the first one here. */
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

export type Scale = {
  /** Where a moment stands: 0 to 100. */
  at(time: number): number;
  readonly ticks: readonly Tick[];
};

/**
 * A scale on which all of the times find their place. All in milliseconds; `apart` is how far from
 * each other the middles of two labels have to be, of 100.
 */
export function scaleOf(times: readonly number[], now: number, apart: number): Scale {
  const distances = [-aroundMs, aroundMs, ...times.map((time) => time - now)];
  const first = stretched(Math.min(...distances));
  const last = stretched(Math.max(...distances));
  const place = (distance: number) => ((stretched(distance) - first) / (last - first)) * 100;
  const ticks: Tick[] = [];
  for (const [distance, label] of marks) {
    const at = place(distance);
    const isFree = ticks.every((tick) => Math.abs(tick.at - at) >= apart);
    if (at >= 0 && at <= 100 && isFree) ticks.push({ label, at });
  }
  return { at: (time) => place(time - now), ticks };
}

const stretched = (distance: number) =>
  Math.sign(distance) * Math.log1p(Math.abs(distance) / minute);
