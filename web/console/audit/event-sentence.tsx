import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { ResourceLink } from '../shared/resource-link.tsx';
import classes from './audit.module.css';
import { actionWords, actorWords, namesTarget } from './audit-words.ts';

/** Such as `Jane Doe rotated a secret of Reports`. */
export function EventSentence({ event }: { readonly event: AuditEvent }) {
  const { actor, actorType, target } = event;
  return (
    <span className={classes.sentence}>
      {actorType === 'workspace_key' ? 'API key ' : null}
      {actor === '' ? (actorWords[actorType] ?? actorType) : <ResourceLink id={actor} />}{' '}
      {actionWords(event)}
      {namesTarget(event) ? (
        <>
          {' '}
          <ResourceLink id={target} />
        </>
      ) : null}
    </span>
  );
}
