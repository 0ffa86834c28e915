import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import {
  type IdentityProvider,
  IdentityProviderService,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { DisableOrEnable } from '../shared/action-button.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import {
  ProviderFields,
  type ProviderValues,
  providerValues,
  requestOf,
} from './provider-fields.tsx';

export function ProviderActions({ provider }: { readonly provider: IdentityProvider }) {
  const { open, confirm } = useDialogs();
  const update = useMethod(IdentityProviderService.method.updateIdentityProvider);
  const remove = useMethod(IdentityProviderService.method.deleteIdentityProvider);
  const navigate = useNavigate();
  const { id: providerId, name, enabled } = provider;
  const setEnabled = (value: boolean) => update({ providerId, ...withMask({ enabled: value }) });
  const askToDisable = () =>
    confirm({
      title: `Disable “${isolateName(name)}”?`,
      consequence:
        'Everyone who signed in with it is signed out immediately, and can’t sign in with it ' +
        'until you enable it again.',
      label: 'Disable',
      run: () => setEnabled(false),
    });
  const askToDelete = () =>
    confirm({
      title: `Delete “${isolateName(name)}”?`,
      consequence:
        'Everyone who signed in with it is signed out immediately. Scopes and roles that its ' +
        'groups granted end. Users without a password can’t sign in any more. ' +
        'This can’t be undone.',
      label: 'Delete',
      run: async () => {
        await remove({ providerId });
        await navigate({ to: '/identity-providers' });
      },
    });
  return (
    <>
      <Button variant="default" onClick={() => open(<EditProviderDialog provider={provider} />)}>
        Edit
      </Button>
      <DisableOrEnable
        isEnabled={enabled}
        askToDisable={askToDisable}
        enable={() => setEnabled(true)}
      />
      <Button variant="default" onClick={askToDelete}>
        Delete
      </Button>
    </>
  );
}

const paths = [
  ...['name', 'client_id', 'allowed_domains', 'create_users'],
  ...['groups_claim', 'email_verified_claim', 'additional_scopes'],
];

function EditProviderDialog({ provider }: { readonly provider: IdentityProvider }) {
  const update = useMethod(IdentityProviderService.method.updateIdentityProvider);
  const form = useForm<ProviderValues>({
    mode: 'uncontrolled',
    initialValues: providerValues(provider),
  });
  return (
    <FormDialog
      title="Edit sign-in provider"
      label="Save"
      form={form}
      done="Sign-in provider saved"
      submit={(values) => {
        const { clientSecret } = values;
        const secret = clientSecret === '' ? [] : ['client_secret'];
        const updateMask = { paths: [...paths, ...secret] };
        const { id: providerId, etag } = provider;
        return update({ providerId, etag, ...requestOf(values), clientSecret, updateMask });
      }}
    >
      <ProviderFields form={form} isNew={false} />
    </FormDialog>
  );
}
