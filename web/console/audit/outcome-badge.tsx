import { Badge, Group, Text } from '@mantine/core';
import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { outcomeOf } from './audit-labels.ts';

export function OutcomeBadge({ event: { code, count } }: { readonly event: AuditEvent }) {
  const { text, color } = outcomeOf(code);
  return (
    <Group gap={6} wrap="nowrap" display="inline-flex">
      {code === 'ok' ? (
        <Text span size="xs" c="dimmed">
          {text}
        </Text>
      ) : (
        <Badge variant="light" color={color} flex="none">
          {text}
        </Badge>
      )}
      {count > 1 ? <span>{count} times</span> : null}
    </Group>
  );
}
