import {
  Alert,
  Checkbox,
  NativeSelect,
  PasswordInput,
  Radio,
  Stack,
  Text,
  Textarea,
  type TextareaProps,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { ExpiryField } from '../shared/expiry-field.tsx';
import { NoMailNote } from '../shared/no-mail-note.tsx';
import { isLinkAccess, type LinkForm, notifies } from './link-form.ts';
import { notifyTexts } from './link-state.tsx';
import { summarizeRules } from './link-summary.ts';
import { VersionField, type VersionFieldProps } from './version-field.tsx';

const accesses = [
  {
    value: 'anyone',
    label: 'Anyone with the link',
    description: 'Readers open the document directly. You do not see who they are.',
  },
  {
    value: 'email',
    label: 'Email required',
    description: 'Readers enter their email address. You see it with each view.',
  },
  {
    value: 'verified',
    label: 'Verified email',
    description: 'Readers also confirm the address with a one-time code.',
  },
  {
    value: 'people',
    label: 'Specific people',
    description: 'Only readers on a list, who confirm the address with a one-time code.',
  },
] as const;

/** Who can open the link. */
export function AccessField({ form }: { readonly form: LinkForm }) {
  const { value, error } = form.getInputProps('access');
  const choose = (access: string) => {
    if (isLinkAccess(access)) form.setFieldValue('access', access);
  };
  return (
    <>
      <Radio.Group label="Who can open it" value={value} onChange={choose} error={error}>
        <Stack gap="xs" mt="xs">
          {accesses.map(({ value: access, ...texts }) => (
            <Radio
              key={access}
              value={access}
              {...texts}
              {...(access === form.values.access ? { 'data-autofocus': true } : {})}
            />
          ))}
        </Stack>
      </Radio.Group>
      {value === 'verified' || value === 'people' ? <NoMailNote /> : null}
      {value === 'people' ? (
        <PeopleField label="People" required {...form.getInputProps('allowList')} />
      ) : null}
    </>
  );
}

/** Email addresses and domains. */
function PeopleField(props: TextareaProps) {
  return (
    <Textarea
      description="One email address or domain per line, such as jane@example.com or @example.com."
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      autoCapitalize="none"
      {...props}
    />
  );
}

/** Options that most links do not need, folded. */
export function MoreOptions(props: VersionFieldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <Text component="summary" size="sm" fw={500} style={{ cursor: 'pointer' }}>
        More options
      </Text>
      {isOpen ? <FoldedOptions {...props} /> : null}
    </details>
  );
}

function FoldedOptions({ form, workspaceId }: VersionFieldProps) {
  return (
    <Stack pt="sm">
      <VersionField form={form} workspaceId={workspaceId} />
      <NativeSelect
        label="Email me about views"
        description="The email lists who opened the link."
        data={notifies.map((value) => ({ value: String(value), label: notifyTexts[value] }))}
        {...form.getInputProps('notify')}
      />
      <Checkbox
        label="Show the name of the document"
        description="On the access page, in the viewer and in emails."
        {...form.getInputProps('showTitle', { type: 'checkbox' })}
      />
      {form.values.access === 'anyone' ? null : (
        <PeopleField label="Blocked people" {...form.getInputProps('blockList')} />
      )}
    </Stack>
  );
}

export function NameField({ form }: { readonly form: LinkForm }) {
  return (
    <TextInput
      label="Name"
      description="Optional. Only members of the workspace see it."
      maxLength={255}
      {...form.getInputProps('name')}
    />
  );
}

export function NewPasswordField({ form, isNext }: { form: LinkForm; isNext: boolean }) {
  return (
    <PasswordInput
      label={isNext ? 'New password' : 'Password'}
      description={isNext ? 'At least 8 characters.' : 'Optional. At least 8 characters.'}
      autoComplete="new-password"
      maxLength={256}
      required={isNext}
      {...form.getInputProps('password')}
    />
  );
}

type OptionFieldsProps = {
  readonly form: LinkForm;
  /** Whether the viewer can show the document; undefined if that is not known. */
  readonly canBeShown?: boolean | undefined;
};

export function OptionFields({ form, canBeShown }: OptionFieldsProps) {
  const cannotBeOpened = canBeShown === false && !form.values.allowDownload;
  return (
    <>
      <ExpiryField {...form.getInputProps('expireTime')} />
      <Checkbox
        label="Allow download"
        description={
          canBeShown === false
            ? 'Browsers can’t show this type of file, so readers need to download it.'
            : 'Otherwise, readers can only view the document.'
        }
        {...form.getInputProps('allowDownload', { type: 'checkbox' })}
      />
      {cannotBeOpened ? (
        <Alert color="orange" title="Readers can’t open this document">
          Turn on “Allow download”, because browsers can’t show this type of file.
        </Alert>
      ) : null}
    </>
  );
}

type SummaryProps = {
  readonly form: LinkForm;
  /** Whether the link has one already. */
  readonly hasPassword: boolean;
  /** Whether the viewer can show the document, if known. */
  readonly isShown?: boolean | undefined;
};

/** One sentence about what readers see. */
export function SummaryText({ form, hasPassword, isShown }: SummaryProps) {
  const { access, password, passwordChange, allowDownload, expireTime } = form.values;
  const text = summarizeRules({
    emailRequired: access !== 'anyone',
    emailVerificationRequired: access === 'verified' || access === 'people',
    isLimited: access === 'people',
    passwordRequired:
      passwordChange === 'keep' ? hasPassword : passwordChange === 'replace' && password !== '',
    allowDownload,
    isShown,
    expires: expireTime === '' ? undefined : new Date(expireTime),
  });
  return (
    <Text size="sm" c="dimmed" role="status">
      {text}
    </Text>
  );
}
