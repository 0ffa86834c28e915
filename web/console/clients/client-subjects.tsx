import { Button, Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { CodeArea } from '../shared/json-field.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { Section } from '../shared/section.tsx';
import { splitWords, validateCount } from '../shared/split-words.ts';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

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

const subjectsMax = 100;
const subjectPattern = /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/;

function validateSubjects(text: string): string | null {
  const subjects = splitWords(text);
  const wrong = subjects.find((subject) => !subjectPattern.test(subject));
  if (wrong !== undefined) {
    return `“${wrong}” isn’t the ID of a client, customer or user, or one of the four words.`;
  }
  return validateCount(subjects, subjectsMax);
}

function ChangeSubjectsDialog({ client }: { readonly client: Client }) {
  const update = useMethod(ClientService.method.updateClient);
  const form = useForm({
    initialValues: { mayAct: client.mayAct.join('\n') },
    validate: { mayAct: validateSubjects },
  });
  const kept = new Set(splitWords(form.values.mayAct));
  const isRemoved = client.mayAct.some((subject) => !kept.has(subject));
  return (
    <FormDialog
      title="Change subjects"
      label="Save"
      form={form}
      submit={({ mayAct: text }) => {
        const mayAct = splitWords(text);
        return update({ clientId: client.id, etag: client.etag, ...withMask({ mayAct }) });
      }}
    >
      <CodeArea
        data-autofocus
        label="Subjects"
        description={
          'One per line: the ID of a client, customer or user; or service, customer, staff or ' +
          'member for all subjects of a kind. The client can exchange their tokens to act for them.'
        }
        rows={5}
        {...form.getInputProps('mayAct')}
      />
      <Text size="sm" role="status">
        {isRemoved
          ? 'Latchkey immediately rejects the client’s tokens for removed subjects. ' +
            offlineVerificationNote()
          : ''}
      </Text>
    </FormDialog>
  );
}
