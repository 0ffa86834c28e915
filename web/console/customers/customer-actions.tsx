import { Button } from '@mantine/core';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { ActionButton, DisableOrEnable } from '../shared/action-button.tsx';
import {
  customerTokenLifetime,
  offlineVerificationNote,
} from '../shared/credentials/credential.ts';
import { DeleteButton } from '../shared/delete-button.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

export function CustomerActions({ customer }: { readonly customer: Customer }) {
  const { open, confirm } = useDialogs();
  const update = useMethod(CustomerService.method.updateCustomer);
  const disable = useMethod(CustomerService.method.disableCustomer);
  const enable = useMethod(CustomerService.method.enableCustomer);
  const remove = useMethod(CustomerService.method.deleteCustomer);
  const undelete = useMethod(CustomerService.method.undeleteCustomer);
  const { id: customerId, name, etag, disableTime } = customer;
  const restore = () => undelete({ customerId });
  if (customer.deleteTime !== undefined) return <ActionButton label="Restore" act={restore} />;
  const effect =
    'Its API keys can’t get new tokens, and its existing tokens are rejected immediately. ' +
    offlineVerificationNote(customerTokenLifetime);
  const askToDisable = () =>
    confirm({
      title: `Disable “${isolateName(name)}”?`,
      consequence: `${effect} You can enable it again.`,
      label: 'Disable',
      run: () => disable({ customerId }),
    });
  const rename = () =>
    open(
      <RenameDialog
        noun="customer"
        name={name}
        submit={(next) => update({ customerId, etag, ...withMask({ name: next }) })}
      />,
    );
  return (
    <>
      <Button variant="default" onClick={rename}>
        Rename
      </Button>
      <DisableOrEnable
        isEnabled={disableTime === undefined}
        askToDisable={askToDisable}
        enable={() => enable({ customerId })}
      />
      <DeleteButton
        noun="customer"
        name={name}
        effect={effect}
        loss="After that, the customer, its API keys and its own accounts are deleted for good."
        remove={() => remove({ customerId })}
        restore={restore}
      />
    </>
  );
}
