import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { AudienceService } from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { AlgorithmField } from './algorithm-field.tsx';

export function CreateAudienceDialog() {
  const create = useMethod(AudienceService.method.createAudience);
  const form = useForm({ initialValues: { name: '', identifier: '', signingAlg: 'EdDSA' } });
  return (
    <FormDialog
      title="Create audience"
      label="Create"
      done="Audience created"
      form={form}
      submit={(values) => create(values)}
    >
      <TextInput
        label="Name"
        required
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Identifier"
        description="A URL, such as https://payments.example.com. You can’t change it."
        required
        maxLength={255}
        spellCheck={false}
        autoCapitalize="none"
        {...form.getInputProps('identifier')}
      />
      <AlgorithmField {...form.getInputProps('signingAlg')} />
      <Text size="sm" role="status">
        {form.values.signingAlg === 'EdDSA'
          ? ''
          : 'If no key of this algorithm signs yet, Latchkey creates one, which signs about five ' +
            'minutes later.'}
      </Text>
    </FormDialog>
  );
}
