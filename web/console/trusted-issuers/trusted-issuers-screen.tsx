import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCloudLock } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { TrustedIssuerService } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { createdColumn } from '../shared/creation.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';
import { IssuerFields, type IssuerValues } from './issuer-fields.tsx';
import { IssuerState } from './issuer-state.tsx';
import { toRequestFields } from './key-source.ts';

const issuers = defineList({
  label: 'Trusted issuers',
  method: TrustedIssuerService.method.listTrustedIssuers,
  rows: (page) => page.trustedIssuers,
  columns: [
    {
      title: 'Name',
      orderBy: 'name',
      isFree: true,
      cell: ({ id, name, issuer }) => (
        <TextLink to="/trusted-issuers/$issuerId" params={{ issuerId: id }}>
          {name || issuer}
        </TextLink>
      ),
    },
    { title: 'Issuer', isFree: true, isPlain: true, cell: ({ issuer }) => issuer },
    { title: 'State', isPlain: true, cell: (issuer) => <IssuerState issuer={issuer} /> },
    createdColumn({ isMinor: true }),
  ],
});

export function TrustedIssuersScreen() {
  return (
    <ListScreen
      list={useList(issuers, {})}
      about={
        'Platforms whose tokens replace client secrets: CI jobs and pods act as a client and ' +
        'store no secret.'
      }
      create={<AddIssuerDialog />}
      empty={{
        title: 'No trusted issuers yet',
        text: 'Add your CI or your cluster, then add a federated identity to a client.',
        icon: IconCloudLock,
      }}
      emptyText="You don’t have permission to add issuers."
    />
  );
}

TrustedIssuersScreen.reads = [issuers];

const initialValues: IssuerValues & { readonly issuer: string } = {
  ...{ issuer: '', name: '', audience: '', source: 'discovery', jwksUri: '', jwks: '' },
};

function AddIssuerDialog() {
  const navigate = useNavigate();
  const create = useMethod(TrustedIssuerService.method.createTrustedIssuer);
  const form = useForm({ initialValues });
  return (
    <FormDialog
      title="Add trusted issuer"
      label="Add"
      done="Trusted issuer added"
      form={form}
      submit={async (values) => {
        const { issuer, name, audience } = values;
        const fields = { issuer, name, audience, ...toRequestFields(values) };
        const { trustedIssuer } = await create(fields);
        const issuerId = trustedIssuer?.id ?? '';
        await navigate({ to: '/trusted-issuers/$issuerId', params: { issuerId } });
      }}
    >
      <TextInput
        label="Issuer"
        description="The iss of its tokens. You can’t change it."
        placeholder="https://token.actions.githubusercontent.com"
        required
        maxLength={255}
        spellCheck={false}
        autoCapitalize="none"
        data-autofocus
        {...form.getInputProps('issuer')}
      />
      <IssuerFields form={form as never} />
    </FormDialog>
  );
}
