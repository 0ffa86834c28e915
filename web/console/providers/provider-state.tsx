import { Badge } from '@mantine/core';

export function ProviderState({ enabled }: { readonly enabled: boolean }) {
  return (
    <Badge variant="light" color={enabled ? 'teal' : 'gray'}>
      {enabled ? 'Enabled' : 'Disabled'}
    </Badge>
  );
}
