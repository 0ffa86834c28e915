import { Button, Text } from '@mantine/core';
import { lazy } from 'react';
import type { Link } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { useHasScope } from '../../session/session-context.tsx';
import { useDialogs } from '../../shared/dialogs.tsx';
import { Section } from '../../shared/section.tsx';
import { describeRules } from './entry-rules.ts';

const EntryRulesDialog = lazy(() => import('./entry-rules-dialog.tsx'));

/** The rules of a link for the entries of its folder. */
export function RoomContents({ link }: { readonly link: Link }) {
  const { open } = useDialogs();
  const mayChange = useHasScope()('links:write') && link.revokeTime === undefined;
  const button = (
    <Button variant="default" onClick={() => open(<EntryRulesDialog link={link} />)}>
      Hide or allow downloads
    </Button>
  );
  return (
    <Section title="Contents" actions={mayChange ? button : undefined}>
      <Text size="sm">{describeRules(link.entryRules)}</Text>
    </Section>
  );
}
