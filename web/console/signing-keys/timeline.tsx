/** A timeline of the keys. Screen readers get the same data from the table. */
import { useMediaQuery } from '@mantine/hooks';
import type { SigningKey } from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import {
  isPending,
  isReady,
  keySpansOf,
  shortKid,
  stateChangeTimesOf,
  stateLabel,
  timestampMsOf,
} from './key-lifecycle.ts';
import classes from './timeline.module.css';

type TimelineProps = {
  readonly keys: readonly SigningKey[];
  /** Milliseconds since 1970. */
  readonly now: number;
};

export function KeyTimeline({ keys, now }: TimelineProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const scale = createTimeScale(
    keys.flatMap((key) => stateChangeTimesOf(key, now)),
    now,
    isNarrow ? 22 : 11,
  );
  return (
    <figure className={classes.figure}>
      <div role="img" aria-label="Timeline of the keys. The table below contains the same data.">
        <Axis scale={scale} />
        {keys.map((key) => (
          <Lane key={key.kid} signingKey={key} scale={scale} now={now} />
        ))}
      </div>
      <figcaption className={classes.legend} aria-hidden>
        <LegendItem kind="pending" text="Published" />
        <LegendItem kind="active" text="Signing" />
        <LegendItem kind="retired" text="Retired, still published" />
        <span>
          <span className={classes.diamond} /> Ready to sign
        </span>
        <span>
          <span className={classes.cross}>✕</span> Revoked
        </span>
      </figcaption>
    </figure>
  );
}

function Axis({ scale }: { readonly scale: TimeScale }) {
  return (
    <div className={classes.lane}>
      <span />
      <div className={classes.axis}>
        {scale.ticks.map(({ label, at }) => (
          <span
            key={label}
            className={classes.tick}
            data-now={label === 'now' || undefined}
            style={{ left: `${at}%` }}
          >
            {label}
          </span>
        ))}
      </div>
    </div>
  );
}

type LaneProps = {
  readonly signingKey: SigningKey;
  readonly scale: TimeScale;
  readonly now: number;
};

function Lane({ signingKey, scale, now }: LaneProps) {
  const ready = timestampMsOf(signingKey.readyTime);
  const revoked = timestampMsOf(signingKey.revokeTime);
  return (
    <div className={classes.lane}>
      <span className={classes.label}>
        <span className="mono">{shortKid(signingKey)}</span>{' '}
        <span className={classes.state}>{stateLabel(signingKey).text}</span>
      </span>
      <div className={classes.track}>
        {scale.ticks.map(({ label, at }) => (
          <span
            key={label}
            className={classes.line}
            data-now={label === 'now' || undefined}
            style={{ left: `${at}%` }}
          />
        ))}
        {keySpansOf(signingKey, now).map(({ kind, from, to }) => {
          const [left, right] = [scale.at(from), scale.at(to)];
          const style = { left: `${left}%`, width: `${right - left}%` };
          return <span key={kind} className={classes.span} data-kind={kind} style={style} />;
        })}
        {ready !== undefined && isPending(signingKey) && !isReady(signingKey, now) ? (
          <span className={classes.ready} style={{ left: `${scale.at(ready)}%` }} />
        ) : null}
        {revoked === undefined ? null : (
          <span className={classes.revoked} style={{ left: `${scale.at(revoked)}%` }}>
            ✕
          </span>
        )}
      </div>
    </div>
  );
}

type LegendItemProps = { readonly kind: string; readonly text: string };

function LegendItem({ kind, text }: LegendItemProps) {
  return (
    <span>
      <span className={classes.swatch} data-kind={kind} /> {text}
    </span>
  );
}

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

type Tick = { readonly label: string; readonly at: number };

type TimeScale = {
  /** The position of a time, from 0 to 100. */
  at(time: number): number;
  readonly ticks: readonly Tick[];
};

/**
 * Creates a scale that covers all times, in milliseconds. `distanceMin`: the smallest distance of
 * two tick labels, on the scale from 0 to 100.
 */
function createTimeScale(times: readonly number[], now: number, distanceMin: number): TimeScale {
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
