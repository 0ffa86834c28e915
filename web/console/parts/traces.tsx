import { Text } from '@mantine/core';
import { useHasScope } from '../session/context.tsx';
import { TextLink } from './link.tsx';

export type TracesProps = {
  readonly id: string;
  /** What it is, such as `client`. */
  readonly noun: string;
};

/** Ways to what the audit log has of somebody, for those who may read it. */
export function Traces({ id, noun }: TracesProps) {
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
