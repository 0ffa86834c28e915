import { useForm } from '@mantine/form';
import { IconBuildingFortress } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { createdColumn } from '../shared/creation.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';
import {
  ProviderFields,
  type ProviderValues,
  providerValues,
  requestOf,
} from './provider-fields.tsx';
import { ProviderState } from './provider-state.tsx';

const providers = defineList({
  label: 'Sign-in providers',
  method: IdentityProviderService.method.listIdentityProviders,
  rows: (page) => page.providers,
  columns: [
    {
      title: 'Name',
      orderBy: 'name',
      cell: ({ id, name }) => (
        <TextLink to="/identity-providers/$providerId" params={{ providerId: id }}>
          {name}
        </TextLink>
      ),
    },
    { title: 'Issuer', cell: ({ issuer }) => issuer },
    { title: 'Domains', cell: ({ allowedDomains }) => allowedDomains.join(', ') },
    { title: 'State', isPlain: true, cell: (provider) => <ProviderState {...provider} /> },
    createdColumn(),
  ],
});

export function ProvidersScreen() {
  return (
    <ListScreen
      list={useList(providers, {})}
      about="Staff and members can sign in with the accounts of your company (OpenID Connect)."
      create={<CreateProviderDialog />}
      empty={{
        title: 'No sign-in providers yet',
        text: 'Create one to sign in with Keycloak, Entra ID, Google, Okta or another provider.',
        icon: IconBuildingFortress,
      }}
      emptyText="You don’t have permission to create sign-in providers."
    />
  );
}

ProvidersScreen.reads = [providers];

function CreateProviderDialog() {
  const create = useMethod(IdentityProviderService.method.createIdentityProvider);
  const navigate = useNavigate();
  const form = useForm<ProviderValues>({ mode: 'uncontrolled', initialValues: providerValues() });
  return (
    <FormDialog
      title="Create sign-in provider"
      label="Create"
      form={form}
      submit={async (values) => {
        const { issuer, clientSecret } = values;
        const own = { ...requestOf(values), issuer: issuer.trim(), clientSecret };
        const { provider } = await create(own);
        const providerId = provider?.id ?? '';
        await navigate({ to: '/identity-providers/$providerId', params: { providerId } });
      }}
    >
      <ProviderFields form={form} isNew />
    </FormDialog>
  );
}
