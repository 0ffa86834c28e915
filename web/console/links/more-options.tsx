import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { formatDateTime } from '../shared/date-time.tsx';
import { usePagedList } from '../shared/lists/use-paged-list.ts';
import { emailRulesOf, type LinkForm, type LinkValues, notifies } from './link-form.ts';
import { notifyTexts } from './link-state.tsx';
import { PasswordField, type PasswordFieldProps } from './password-field.tsx';
import { ReadersField } from './readers-field.tsx';

export type FoldedProps = PasswordFieldProps & { readonly workspaceId: string };

/** Options that most links do not need, folded. */
export function MoreOptions(props: FoldedProps) {
  const [isOpened, setOpened] = useState(false);
  const isOpen = isOpened || checkedFields.some((name) => props.form.errors[name] !== undefined);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <Text component="summary" size="sm" fw={500} style={{ cursor: 'pointer' }}>
        More options
      </Text>
      {isOpen ? <FoldedOptions {...props} /> : null}
    </details>
  );
}

/** The fields whose errors must not stay folded. */
const checkedFields = ['viewLimit', 'blockList'] as const;

function FoldedOptions({ form, workspaceId, hasPassword }: FoldedProps) {
  const { access, folderId } = form.values;
  return (
    <Stack pt="sm">
      {hasPassword || access === 'anyone' || access === 'password' ? null : (
        <PasswordField form={form} hasPassword={hasPassword} />
      )}
      <Textarea
        label="Agreement"
        description="Markdown. Readers verify their email address and accept it first."
        autosize
        minRows={2}
        maxRows={8}
        maxLength={20_000}
        {...form.getInputProps('agreement')}
      />
      <TextInput
        label="View limit"
        description={
          'After this many views, new readers can’t open the link. Leave empty for no limit.'
        }
        inputMode="numeric"
        maxLength={7}
        {...form.getInputProps('viewLimit')}
      />
      <VersionField form={form} workspaceId={workspaceId} />
      <NativeSelect
        label="Email me about views"
        description="The email lists who opened the link."
        data={notifies.map((value) => ({ value: String(value), label: notifyTexts[value] }))}
        {...form.getInputProps('notify')}
      />
      <Checkbox
        label={`Show the name of the ${folderId === '' ? 'document' : 'folder'}`}
        description="On the access page, in the viewer and in emails."
        {...form.getInputProps('showTitle', { type: 'checkbox' })}
      />
      <Checkbox
        label="Programs may read it for a person"
        description={programText(form.values)}
        {...form.getInputProps('programAccess', { type: 'checkbox' })}
      />
      {emailRulesOf(form.values).emailRequired ? (
        <ReadersField label="Blocked readers" {...form.getInputProps('blockList')} />
      ) : null}
    </Stack>
  );
}

function programText({ access, password, passwordChange, agreement }: LinkValues): string {
  const hasPassword = access !== 'anyone' && (password !== '' || passwordChange === 'keep');
  return hasPassword || agreement !== ''
    ? 'Not while the link has a password or an agreement.'
    : 'With a token for a user whose email address can open the link. The views name the program.';
}

type VersionFieldProps = { readonly form: LinkForm; readonly workspaceId: string };

/** A document has at most as many versions. */
const versionsMax = 100;

/** Which version of the document the link shows. */
function VersionField({ form, workspaceId }: VersionFieldProps) {
  const { documentId } = form.values;
  const { rows = [] } = usePagedList(
    DocumentService.method.listVersions,
    { workspaceId, documentId, pageSize: versionsMax },
    ({ versions }) => versions,
    { name: null, enabled: documentId !== '' },
  );
  const field = form.getInputProps('pinnedVersion');
  if (documentId === '') return null;
  const choices = rows.map(({ version, createTime }) => ({
    value: String(version),
    label:
      createTime === undefined
        ? `Only version ${version}`
        : `Only version ${version} · ${formatDateTime(timestampDate(createTime), 'minute')}`,
  }));
  const isListed = choices.some(({ value }) => value === field.value) || field.value === '0';
  return (
    <NativeSelect
      label="Version"
      description="A new version appears behind the same link, unless you choose one here."
      data={[
        { value: '0', label: 'Always the current version' },
        ...(isListed ? [] : [{ value: field.value, label: `Only version ${field.value}` }]),
        ...choices,
      ]}
      {...field}
    />
  );
}
