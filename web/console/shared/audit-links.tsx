import { Text } from '@mantine/core';
import { useHasScope } from '../session/session-context.tsx';
import { TextLink } from './router-links.tsx';

export type AuditLinksProps = {
  readonly id: string;
  /** Whether it can be the actor of an event. By default true. */
  readonly isActor?: boolean;
};

/** Links to the audit events of a resource. */
export function AuditLinks({ id, isActor = true }: AuditLinksProps) {
  const hasScope = useHasScope();
  if (!hasScope('audit:read')) return null;
  return (
    <Text size="sm">
      Audit log:{' '}
      {isActor ? (
        <>
          <TextLink to="/audit" td="underline" search={{ actor: id }}>
            events by this actor
          </TextLink>
          ,{' '}
        </>
      ) : null}
      <TextLink to="/audit" td="underline" search={{ target: id }}>
        events on this target
      </TextLink>
    </Text>
  );
}
