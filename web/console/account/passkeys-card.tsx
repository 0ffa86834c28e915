import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { createBrowserPasskey, hasPasskeys } from '../session/passkeys.ts';
import { useSignInOptions } from '../session/provider-sign-in.tsx';
import { isLimited, useFactorAdded } from '../session/second-factor.ts';
import { useUser } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { NameField } from '../shared/name-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { PasskeyList } from '../users/passkey-list.tsx';
import { AccountCard } from './account-card.tsx';

export function PasskeysCard() {
  const user = useUser();
  const { id } = user;
  const { open } = useDialogs();
  const options = useSignInOptions();
  const { data, error, refetch } = useQuery(PasskeyService.method.listPasskeys, { userId: id });
  const passkeys = data?.passkeys ?? [];
  const isPossible = options?.passkeys === true && hasPasskeys();
  return (
    <AccountCard
      title="Passkeys"
      state={passkeys.length === 0 ? null : <Badge variant="light">{passkeys.length}</Badge>}
      about={
        'Sign in with your fingerprint, face or screen lock, or with a security key. A passkey ' +
        'replaces the password and the code.'
      }
      actions={
        isPossible ? (
          <Button variant="default" onClick={() => open(<AddPasskeyDialog />)}>
            Add passkey
          </Button>
        ) : null
      }
    >
      <ErrorAlert error={error} retry={() => void refetch()} />
      {options === undefined || isPossible ? null : (
        <Text size="sm">
          {options.passkeys
            ? 'This browser can’t use passkeys.'
            : 'Passkeys need a LATCHKEY_PUBLIC_URL with https and a host name, or with ' +
              'http://localhost.'}
        </Text>
      )}
      <PasskeyList userId={id} passkeys={passkeys} isOwn mayDelete={!isLimited(user)} />
    </AccountCard>
  );
}

function AddPasskeyDialog() {
  const { id: userId } = useUser();
  const start = useMethod(PasskeyService.method.startPasskeyRegistration);
  const factorAdded = useFactorAdded();
  const create = useMethod(PasskeyService.method.createPasskey);
  const form = useForm({ mode: 'uncontrolled', initialValues: { name: '' } });
  return (
    <FormDialog
      title="Add passkey"
      label="Continue"
      form={form}
      done="Passkey added"
      submit={async ({ name }) => {
        const { options } = await start({ userId });
        await create({ userId, name, credential: await createBrowserPasskey(options) });
        await factorAdded();
      }}
    >
      <Text size="sm">Your browser then asks where to save the passkey.</Text>
      <NameField
        description="To recognize it later, such as “Work laptop”."
        required
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  );
}
