import { Button, Group, Text } from '@mantine/core';
import type { Client } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { Section } from '../shared/section.tsx';
import { ChangeSubjectsDialog } from './change-subjects-dialog.tsx';

const kinds: Readonly<Record<string, string>> = {
  service: 'All clients',
  customer: 'All customers',
  staff: 'All staff',
  member: 'All members',
};

/** The subjects whose tokens the client may exchange. */
export function ClientSubjects({ client }: { readonly client: Client }) {
  const { open } = useDialogs();
  const { mayAct } = client;
  return (
    <Section
      title="Acts for"
      actions={
        <Button variant="default" onClick={() => open(<ChangeSubjectsDialog client={client} />)}>
          Change subjects
        </Button>
      }
    >
      {mayAct.length === 0 ? (
        <Text>No one. The client can’t exchange tokens.</Text>
      ) : (
        <Group component="ul" gap="4px 16px" m={0} p={0} style={{ listStyle: 'none' }}>
          {mayAct.map((subject) => (
            <li key={subject}>{kinds[subject] ?? <ResourceLink id={subject} name="" />}</li>
          ))}
        </Group>
      )}
    </Section>
  );
}
