/** The lives of the keys beside each other. The table says the same to those who do not see it. */
import { useMediaQuery } from '@mantine/hooks';
import type { SigningKey } from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import {
  isPending,
  isReady,
  msOf,
  shortKid,
  spansOf,
  stateLabel,
  timesOf,
} from './key-lifecycle.ts';
import classes from './time-line.module.css';
import { type Scale, scaleOf } from './time-scale.ts';

type TimeLineProps = {
  readonly keys: readonly SigningKey[];
  /** Milliseconds since 1970. */
  readonly now: number;
};

export function TimeLine({ keys, now }: TimeLineProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const scale = scaleOf(
    keys.flatMap((key) => timesOf(key, now)),
    now,
    isNarrow ? 22 : 11,
  );
  return (
    <figure className={classes.figure}>
      <div role="img" aria-label="The lives of the keys, as the table below tells them.">
        <Axis scale={scale} />
        {keys.map((key) => (
          <Lane key={key.kid} signingKey={key} scale={scale} now={now} />
        ))}
      </div>
      <figcaption className={classes.legend} aria-hidden>
        <Sign kind="waits" text="published, does not sign" />
        <Sign kind="signs" text="signs" />
        <Sign kind="leaves" text="published for the tokens that it has signed" />
        <span>
          <span className={classes.diamond} /> may sign from here on
        </span>
        <span>
          <span className={classes.cross}>✕</span> revoked
        </span>
      </figcaption>
    </figure>
  );
}

function Axis({ scale }: { readonly scale: Scale }) {
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
  readonly scale: Scale;
  readonly now: number;
};

function Lane({ signingKey, scale, now }: LaneProps) {
  const ready = msOf(signingKey.readyTime);
  const revoked = msOf(signingKey.revokeTime);
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
        {spansOf(signingKey, now).map(({ kind, from, to }) => {
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

type SignProps = { readonly kind: string; readonly text: string };

function Sign({ kind, text }: SignProps) {
  return (
    <span>
      <span className={classes.swatch} data-kind={kind} /> {text}
    </span>
  );
}
