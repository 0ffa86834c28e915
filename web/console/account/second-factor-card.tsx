import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Checkbox, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type EnrolTotpResponse, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useUser } from '../session/session-context.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { useRestoredFocus } from '../shared/use-restored-focus.ts';
import { AccountCard } from './account-card.tsx';
import { EnrolTotpDialog } from './enrol-totp-dialog.tsx';

export function SecondFactorCard() {
  const { id } = useUser();
  const { data, error, refetch } = useQuery(UserService.method.getUser, { userId: id });
  const enrol = useMethod(UserService.method.enrolTotp);
  const [seed, setSeed] = useState<EnrolTotpResponse>();
  const action = usePendingAction();
  const rememberFocus = useRestoredFocus(action.isPending || seed !== undefined);
  const isOn = data?.user?.totpEnabled;
  const begin = () => {
    rememberFocus();
    void action.run(async () => setSeed(await enrol({ userId: id })));
  };
  return (
    <AccountCard
      title="Second factor"
      state={isOn === undefined ? null : <State isOn={isOn} />}
      about={
        'An authenticator app on your phone shows a code of 6 digits, which a sign-in then asks ' +
        'for beside the password.'
      }
      actions={
        isOn === false ? (
          <Button variant="default" loading={action.isPending} onClick={begin}>
            Add an authenticator app
          </Button>
        ) : (
          isOn && <Remove />
        )
      }
    >
      {error === null ? null : <ErrorAlert error={error} retry={() => void refetch()} />}
      {action.error === undefined ? null : <ErrorAlert error={action.error} />}
      <EnrolTotpDialog seed={seed} close={() => setSeed(undefined)} />
    </AccountCard>
  );
}

function State({ isOn }: { readonly isOn: boolean }) {
  return (
    <Badge variant="light" {...(isOn ? {} : { color: 'gray' })}>
      {isOn ? 'On' : 'Off'}
    </Badge>
  );
}

function Remove() {
  const { id } = useUser();
  const [isOpen, { open, close }] = useDisclosure(false);
  const remove = useMethod(UserService.method.removeTotp);
  const form = useForm({ mode: 'uncontrolled', initialValues: { endOtherSessions: false } });
  return (
    <>
      <Button variant="default" onClick={open}>
        Remove the authenticator app
      </Button>
      <FormDialog
        title="Remove your authenticator app?"
        label="Remove"
        isOpen={isOpen}
        close={() => {
          form.reset();
          close();
        }}
        form={form}
        submit={({ endOtherSessions }) => remove({ userId: id, endOtherSessions })}
      >
        <Text>
          Its codes stop working at once, and from then on your password alone is enough to sign in.
          You can add an app again at any time.
        </Text>
        <Checkbox
          label="End my other sessions"
          key={form.key('endOtherSessions')}
          {...form.getInputProps('endOtherSessions', { type: 'checkbox' })}
        />
      </FormDialog>
    </>
  );
}
