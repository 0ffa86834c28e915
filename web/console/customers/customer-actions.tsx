import { Button } from '@mantine/core';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useAct } from '../parts/act.ts';
import { customerTokenLife, elsewhereText } from '../parts/credentials/credential.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { EnableButton } from '../parts/enable-button.tsx';
import { isolated } from '../parts/isolated.tsx';

export type CustomerActionsProps = {
  readonly customer: Customer;
  readonly rename: () => void;
};

export function CustomerActions({ customer, rename }: CustomerActionsProps) {
  const { confirm } = useDialogs();
  const disable = useAct(CustomerService.method.disableCustomer);
  const enable = useAct(CustomerService.method.enableCustomer);
  const { id: customerId, name, disableTime } = customer;
  const askToDisable = () =>
    confirm({
      title: `Disable “${isolated(name)}”?`,
      consequence:
        'Its API keys get no more tokens, and the tokens that it has are refused at once. ' +
        `${elsewhereText(customerTokenLife)} It can be enabled again.`,
      label: 'Disable',
      act: () => disable({ customerId }),
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
