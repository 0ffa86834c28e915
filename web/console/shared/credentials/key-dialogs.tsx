/** Creates an API key of a customer or workspace, and replaces one with a new one. */
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Text, type TextInputProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDialogs } from '../dialogs.tsx';
import { ExpiryField, parseExpireTime } from '../expiry-field.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { isolateName } from '../isolate-name.tsx';
import { NameField } from '../name-dialog.tsx';
import {
  requireScopes,
  ScopesField,
  type ScopesFieldProps,
  type ScopesInput,
} from '../scopes/scopes-field.tsx';
import { type Credential, credentialName } from './credential.ts';
import {
  defaultOverlap,
  formatOverlapEnd,
  OverlapField,
  oldCredentialNote,
} from './overlap-field.tsx';

type NewKey = {
  readonly name: string;
  readonly scopes: string[];
  readonly expireTime?: Timestamp;
};

type CommandOf = (apiKey: string, scopes: readonly string[]) => string | undefined;

type CreateKeyDialogProps = {
  readonly create: (key: NewKey) => Promise<{ readonly apiKey: string }>;
  /** A command that tries out the key. */
  readonly commandOf: CommandOf;
  readonly name: Pick<TextInputProps, 'description' | 'required'>;
  readonly scopes: Omit<ScopesFieldProps, keyof ScopesInput>;
};

export function CreateKeyDialog({ create, commandOf, name, scopes }: CreateKeyDialogProps) {
  const { showSecret } = useDialogs();
  const form = useForm({
    initialValues: { name: '', scopes: [] as string[], expireTime: '' },
    validate: { scopes: requireScopes },
  });
  return (
    <FormDialog
      title="Create API key"
      label="Create"
      form={form}
      submit={async ({ expireTime, ...values }) => {
        const { apiKey } = await create({ ...values, ...parseExpireTime(expireTime) });
        const quoted = values.name === '' ? '' : ` “${isolateName(values.name)}”`;
        showSecret({
          title: `New API key${quoted}`,
          label: 'API key',
          text: apiKey,
          command: commandOf(apiKey, values.scopes),
        });
      }}
    >
      <NameField {...name} {...form.getInputProps('name')} />
      <ScopesField
        {...scopes}
        required
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
      />
      <ExpiryField {...form.getInputProps('expireTime')} />
    </FormDialog>
  );
}

export type RotateKeyDialogProps = {
  readonly old: Credential;
  readonly rotate: (
    overlapSeconds: number,
  ) => Promise<{ readonly key?: Credential | undefined; readonly apiKey: string }>;
  /** A command that tries out the new key. */
  readonly commandOf: CommandOf;
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
