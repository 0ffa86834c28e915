import { Button } from '@mantine/core';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import {
  customerTokenLifetime,
  offlineVerificationNote,
} from '../shared/credentials/credential.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { EnableButton } from '../shared/enable-button.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';

export type CustomerActionsProps = {
  readonly customer: Customer;
  readonly rename: () => void;
};

export function CustomerActions({ customer, rename }: CustomerActionsProps) {
  const { confirm } = useDialogs();
  const disable = useMethod(CustomerService.method.disableCustomer);
  const enable = useMethod(CustomerService.method.enableCustomer);
  const { id: customerId, name, disableTime } = customer;
  const askToDisable = () =>
    confirm({
      title: `Disable “${isolateName(name)}”?`,
      consequence:
        'Its API keys get no more tokens, and the tokens that it has are refused at once. ' +
        `${offlineVerificationNote(customerTokenLifetime)} It can be enabled again.`,
      label: 'Disable',
      run: () => disable({ customerId }),
    });
  return (
    <>
      <Button variant="default" onClick={rename}>
        Rename
      </Button>
      {disableTime === undefined ? (
        <Button variant="default" onClick={askToDisable}>
          Disable
        </Button>
      ) : (
        <EnableButton enable={() => enable({ customerId })} />
      )}
    </>
  );
}
