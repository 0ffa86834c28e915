import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { ResourceLink } from '../shared/resource-link.tsx';
import classes from './audit.module.css';
import {
  actionWords,
  actorWords,
  isQuoted,
  namesTarget,
  parentWord,
  shownParent,
  targetWord,
  targetWorkspaceId,
  withoutQuotes,
} from './audit-words.ts';

/** Such as `Jane Doe revoked the link “For the board” of “Plan.pdf”`. */
export function EventSentence({ event }: { readonly event: AuditEvent }) {
  const { actor, actorName, actorType, target, targetName } = event;
  const { kind, alone } = actorWords[actorType] ?? { kind: '', alone: actorType };
  const parent = shownParent(event);
  const workspaceId = targetWorkspaceId(event);
  return (
    <span className={classes.sentence}>
      {actor === '' ? (
        alone
      ) : (
        <>
          {kind}
          <QuotedLink id={actor} name={actorName} isFollowed />
        </>
      )}{' '}
      {actionWords(event)}
      {namesTarget(event) ? (
        <>
          {' '}
          {targetWord(event)}
          <QuotedLink
            id={target}
            name={targetName}
            workspaceId={workspaceId}
            isFollowed={parent !== undefined}
          />
        </>
      ) : null}
      {parent === undefined ? null : (
        <>
          {` ${parentWord(target, parent.id)} `}
          <QuotedLink {...parent} workspaceId={workspaceId} />
        </>
      )}
    </span>
  );
}

type QuotedLinkProps = Parameters<typeof ResourceLink>[0] & {
  /** Whether other words follow. */
  readonly isFollowed?: boolean;
};

/** Quotes names, except those of people. */
function QuotedLink({ isFollowed = false, ...resource }: QuotedLinkProps) {
  const link = (
    <span className={isFollowed ? classes.followed : undefined}>
      <ResourceLink {...resource} name={withoutQuotes(resource.name)} />
    </span>
  );
  return isQuoted(resource) ? <>“{link}”</> : link;
}
