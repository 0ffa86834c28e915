import { useForm } from '@mantine/form';
import {
  type IdentityProvider,
  IdentityProviderService,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import {
  ProviderFields,
  type ProviderValues,
  providerValues,
  requestOf,
} from './provider-fields.tsx';

const paths = [
  ...['name', 'client_id', 'allowed_domains', 'create_users'],
  ...['groups_claim', 'email_verified_claim', 'additional_scopes'],
];

export function EditProviderDialog({ provider }: { readonly provider: IdentityProvider }) {
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
