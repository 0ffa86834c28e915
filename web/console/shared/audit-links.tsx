import { Text } from '@mantine/core';
import { useHasScope } from '../session/session-context.tsx';
import { TextLink } from './router-links.tsx';

export type AuditLinksProps = {
  readonly id: string;
};

/** Links to the audit events of a client, customer or user. */
export function AuditLinks({ id }: AuditLinksProps) {
  const hasScope = useHasScope();
  if (!hasScope('audit:read')) return null;
  return (
    <Text size="sm">
      Audit log:{' '}
      <TextLink to="/audit" td="underline" search={{ actor: id }}>
        events by this actor
      </TextLink>
      ,{' '}
      <TextLink to="/audit" td="underline" search={{ target: id }}>
        events on this target
      </TextLink>
    </Text>
  );
}
