import { Text } from '@mantine/core';
import { useHasScope } from '../session/session-context.tsx';
import { TextLink } from './router-links.tsx';

export type AuditLinksProps = {
  readonly id: string;
  /** What it is, such as `client`. */
  readonly noun: string;
};

/** Ways to what the audit log has of somebody, for those who may read it. */
export function AuditLinks({ id, noun }: AuditLinksProps) {
  const hasScope = useHasScope();
  if (!hasScope('audit:read')) return null;
  return (
    <Text size="sm">
      In the audit log:{' '}
      <TextLink to="/audit" td="underline" search={{ actor: id }}>
        what the {noun} did
      </TextLink>
      ,{' '}
      <TextLink to="/audit" td="underline" search={{ target: id }}>
        what was done to the {noun}
      </TextLink>
    </Text>
  );
}
