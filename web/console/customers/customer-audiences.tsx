import { Button, Paper } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { AudienceField, validateAudiences } from '../audiences/audience-field.tsx';
import { AudienceLinks } from '../audiences/audience-links.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { customerTokenLifetime } from '../shared/credentials/credential.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { Section } from '../shared/section.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

type CustomerAudiencesProps = { readonly customer: Customer; readonly mayChange: boolean };

/** The services that the customer’s tokens are for. */
export function CustomerAudiences({ customer, mayChange }: CustomerAudiencesProps) {
  const mayList = useHasScope()('audiences:read');
  const { open } = useDialogs();
  return (
    <Section
      title="Audiences"
      actions={
        mayChange && mayList ? (
          <Button
            variant="default"
            onClick={() => open(<ChangeAudiencesDialog customer={customer} />)}
          >
            Change audiences
          </Button>
        ) : undefined
      }
    >
      <Paper withBorder p="md">
        <AudienceLinks ids={customer.audienceIds} />
      </Paper>
    </Section>
  );
}

function ChangeAudiencesDialog({ customer }: Pick<CustomerAudiencesProps, 'customer'>) {
  const update = useMethod(CustomerService.method.updateCustomer);
  const form = useForm({
    initialValues: { audienceIds: customer.audienceIds },
    validate: { audienceIds: validateAudiences },
  });
  return (
    <FormDialog
      title="Change audiences"
      label="Save"
      done="Audiences saved"
      form={form}
      submit={({ audienceIds }) =>
        update({ customerId: customer.id, etag: customer.etag, ...withMask({ audienceIds }) })
      }
    >
      <AudienceField
        {...form.getInputProps('audienceIds')}
        value={form.values.audienceIds}
        lifetime={customerTokenLifetime}
      />
    </FormDialog>
  );
}
