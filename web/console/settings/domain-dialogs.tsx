import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Domain, DomainService } from '../../../gen/latchkey/sharing/v1/domain_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { Facts } from '../shared/facts.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';

export function CreateDomainDialog({ workspaceId }: { readonly workspaceId: string }) {
  const { open } = useDialogs();
  const create = useMethod(DomainService.method.createDomain);
  const form = useForm({ initialValues: { name: '' } });
  return (
    <FormDialog
      title="Add domain"
      label="Add"
      form={form}
      submit={async ({ name }) => {
        const { domain } = await create({ workspaceId, name: name.trim().toLowerCase() });
        if (domain !== undefined) open(<VerifyDomainDialog domain={domain} />);
      }}
    >
      <TextInput
        label="Domain"
        description="A host name that you don’t use for anything else, such as docs.example.com."
        required
        maxLength={243}
        data-autofocus
        {...form.getInputProps('name')}
      />
    </FormDialog>
  );
}

/** Shows the TXT record, and verifies the domain once the record exists. */
export function VerifyDomainDialog({ domain }: { readonly domain: Domain }) {
  const { id: domainId, workspaceId, name, txtName, txtValue } = domain;
  const verify = useMethod(DomainService.method.verifyDomain);
  return (
    <FormDialog
      title={`Verify ${name}`}
      label="Verify"
      form={useForm({ initialValues: {} })}
      submit={() => verify({ workspaceId, domainId })}
      done="Domain verified"
    >
      <Text size="sm">
        Add this record where you manage the DNS of the domain. It can take some time until the
        record is visible. You can close this dialog and verify later.
      </Text>
      <Facts
        facts={[
          { name: 'Type', value: 'TXT' },
          { name: 'Name', value: <CopyableText text={txtName} label="record name" /> },
          { name: 'Value', value: <CopyableText text={txtValue} label="record value" /> },
        ]}
      />
      <Text size="sm">
        Readers also need a DNS record that leads from {name} to this service. Ask your operator for
        its address.
      </Text>
    </FormDialog>
  );
}
