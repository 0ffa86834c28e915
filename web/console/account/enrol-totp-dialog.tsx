import { Center, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { QRCodeSVG } from 'qrcode.react';
import { type EnrolTotpResponse, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useFactorAdded } from '../session/second-factor.ts';
import { useUser } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import classes from './enrol-totp-dialog.module.css';

export type EnrolTotpDialogProps = {
  readonly seed: EnrolTotpResponse;
  /** Gets the first recovery codes. */
  readonly onDone: (codes: readonly string[]) => void;
};

/** Shows the seed for an authenticator app and asks for its first code. */
export function EnrolTotpDialog({ seed, onDone }: EnrolTotpDialogProps) {
  const { id } = useUser();
  const confirm = useMethod(UserService.method.confirmTotp);
  const createCodes = useMethod(UserService.method.createRecoveryCodes);
  const factorAdded = useFactorAdded();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { code: '', endOtherSessions: true },
  });
  return (
    <FormDialog
      title="Add authenticator app"
      label="Turn on"
      form={form}
      submit={async ({ code, endOtherSessions }) => {
        await confirm({ userId: id, code: code.replaceAll(' ', ''), endOtherSessions });
        await factorAdded();
        // The app is on. If this call fails, the page offers to create the codes.
        await createCodes({ userId: id }).then(
          ({ codes }) => onDone(codes),
          () => {},
        );
      }}
    >
      <Seed {...seed} />
      <TextInput
        label="Code"
        description="The 6-digit code that the app shows."
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        maxLength={16}
        data-autofocus
        key={form.key('code')}
        {...form.getInputProps('code')}
      />
      <Checkbox
        label="Sign out other sessions"
        description="They were started without a code."
        key={form.key('endOtherSessions')}
        {...form.getInputProps('endOtherSessions', { type: 'checkbox' })}
      />
      <Text size="sm">
        Two-factor authentication starts when you turn it on. If you cancel, nothing changes, and
        the next attempt shows a new key.
      </Text>
    </FormDialog>
  );
}

function Seed({ uri, secret }: Pick<EnrolTotpResponse, 'uri' | 'secret'>) {
  return (
    <Stack gap="sm">
      <Text>Scan the QR code with the app, or enter the key by hand:</Text>
      <Center>
        <QRCodeSVG
          value={uri}
          size={208}
          marginSize={4}
          bgColor="#fff"
          fgColor="#000"
          title="QR code of the key below"
          className={classes.code}
        />
      </Center>
      <CopyableText text={secret} label="key" />
    </Stack>
  );
}
