import { Badge, Button, Checkbox, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useUser } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { useRestoredFocus } from '../shared/use-restored-focus.ts';
import { AccountCard } from './account-card.tsx';
import { EnrolTotpDialog } from './enrol-totp-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

export function SecondFactorCard({ user }: { readonly user: User }) {
  const { id, totpEnabled: isOn, passwordEnabled, recoveryCodesLeft } = user;
  const enrol = useMethod(UserService.method.enrolTotp);
  const { open } = useDialogs();
  const action = usePendingAction();
  const rememberFocus = useRestoredFocus(action.isPending);
  const showCodes = (codes: readonly string[]) =>
    open(<RecoveryCodesDialog title="Two-factor authentication is on" codes={codes} />);
  const begin = () => {
    rememberFocus();
    void action.run(async () => {
      const seed = await enrol({ userId: id });
      open(<EnrolTotpDialog seed={seed} onDone={showCodes} />);
    });
  };
  // The identity provider decides about the factors of a user without a password.
  if (!passwordEnabled && !isOn) return null;
  return (
    <AccountCard
      title="Two-factor authentication"
      state={
        <Badge variant="light" {...(isOn ? {} : { color: 'gray' })}>
          {isOn ? 'On' : 'Off'}
        </Badge>
      }
      about={
        'Sign in with your password and a 6-digit code from an authenticator app on your phone.'
      }
      actions={
        isOn ? (
          <Button variant="default" onClick={() => open(<RemoveDialog />)}>
            Remove authenticator app
          </Button>
        ) : (
          <Button variant="default" loading={action.isPending} onClick={begin}>
            Add authenticator app
          </Button>
        )
      }
    >
      <ErrorAlert error={action.error} />
      {isOn ? <RecoveryCodes left={recoveryCodesLeft} /> : null}
    </AccountCard>
  );
}

function RemoveDialog() {
  const { id } = useUser();
  const remove = useMethod(UserService.method.removeTotp);
  const form = useForm({ mode: 'uncontrolled', initialValues: { endOtherSessions: false } });
  return (
    <FormDialog
      title="Remove authenticator app?"
      label="Remove"
      form={form}
      submit={({ endOtherSessions }) => remove({ userId: id, endOtherSessions })}
    >
      <Text>
        You’ll sign in with your password only. Codes from the app and recovery codes stop working
        immediately. You can add an app again at any time.
      </Text>
      <Checkbox
        label="Sign out other sessions"
        key={form.key('endOtherSessions')}
        {...form.getInputProps('endOtherSessions', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}
