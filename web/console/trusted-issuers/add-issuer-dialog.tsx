import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { TrustedIssuerService } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { IssuerFields, type IssuerValues } from './issuer-fields.tsx';
import { toRequestFields } from './key-source.ts';

const initialValues: IssuerValues & { readonly issuer: string } = {
  ...{ issuer: '', name: '', audience: '', source: 'discovery', jwksUri: '', jwks: '' },
};

export function AddIssuerDialog() {
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
