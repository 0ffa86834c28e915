import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import {
  ProviderFields,
  type ProviderValues,
  providerValues,
  requestOf,
} from './provider-fields.tsx';

export function CreateProviderDialog() {
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
