/** Replaces an API key of a customer or workspace with a new one. */
import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDialogs } from '../dialogs.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { type Credential, credentialName } from './credential.ts';
import {
  defaultOverlap,
  formatOverlapEnd,
  OverlapField,
  oldCredentialNote,
} from './overlap-field.tsx';

export type RotateKeyDialogProps = {
  readonly old: Credential;
  readonly rotate: (
    overlapSeconds: number,
  ) => Promise<{ readonly key?: Credential | undefined; readonly apiKey: string }>;
  /** A command that tries out the new key. */
  readonly commandOf: (apiKey: string, scopes: readonly string[]) => string | undefined;
};

export function RotateKeyDialog({ old, rotate, commandOf }: RotateKeyDialogProps) {
  const { showSecret } = useDialogs();
  const form = useForm({ initialValues: { overlapSeconds: defaultOverlap } });
  const overlap = form.values.overlapSeconds;
  return (
    <FormDialog
      title={`Rotate ${credentialName(old)}`}
      label="Rotate"
      form={form}
      submit={async ({ overlapSeconds }) => {
        const { key, apiKey } = await rotate(Number(overlapSeconds));
        showSecret({
          title: `New API key ${credentialName(old)}`,
          label: 'API key',
          text: apiKey,
          note: oldCredentialNote(texts, overlapSeconds, key?.createTime, old.expireTime),
          command: commandOf(apiKey, key?.scopes ?? []),
        });
      }}
    >
      <Text>Creates a new key with the same name, scopes and expiry.</Text>
      <OverlapField
        data-autofocus
        label="Old key expires"
        description={
          overlap === '0'
            ? 'Programs that still use it are rejected.'
            : `It works until ${formatOverlapEnd(Date.now(), overlap, old.expireTime)}.`
        }
        {...form.getInputProps('overlapSeconds')}
      />
    </FormDialog>
  );
}

const texts = { expired: 'The old key has expired.', worksUntil: 'The old key works until' };
