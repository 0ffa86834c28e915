import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Audience, AudienceService } from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { AlgorithmField } from './algorithm-field.tsx';

export function ChangeAlgorithmDialog({ audience }: { readonly audience: Audience }) {
  const update = useMethod(AudienceService.method.updateAudience);
  const form = useForm({ initialValues: { signingAlg: audience.signingAlg } });
  return (
    <FormDialog
      title="Change algorithm"
      label="Save"
      done="Algorithm changed"
      form={form}
      submit={({ signingAlg }) =>
        update({ audienceId: audience.id, etag: audience.etag, ...withMask({ signingAlg }) })
      }
    >
      <AlgorithmField {...form.getInputProps('signingAlg')} />
      <Text size="sm">
        The service must accept both algorithms until the last token of the old one has expired.
      </Text>
    </FormDialog>
  );
}
