/** The options of a new or an existing link. */
import { Alert, Checkbox, Radio, Stack, Text, TextInput } from '@mantine/core';
import { ExpiryField } from '../shared/expiry-field.tsx';
import { NoMailNote, sendsMail } from '../shared/no-mail-note.tsx';
import {
  accesses,
  emailRulesOf,
  isLinkAccess,
  type LinkForm,
  type LinkValues,
} from './link-form.ts';
import { accessLabels } from './link-state.tsx';
import { summarizeRules } from './link-summary.ts';
import { type FoldedProps, MoreOptions } from './more-options.tsx';
import { PasswordField } from './password-field.tsx';
import { ReadersField } from './readers-field.tsx';
import { generatePassword } from './share/generate-password.ts';
import { MailFields } from './share/mail-fields.tsx';

export type LinkFieldsProps = FoldedProps & {
  readonly isNew: boolean;
  /** Whether the viewer can show the document. Undefined if not known, and for a folder. */
  readonly isShown: boolean | undefined;
  /** The name of the target of new links, once it is known. */
  readonly targetName?: string | undefined;
};

export function LinkFields(props: LinkFieldsProps) {
  const { form, hasPassword, isNew } = props;
  const { access } = form.values;
  const { emailVerificationRequired } = emailRulesOf(form.values);
  return (
    <>
      <AccessField form={form} />
      {emailVerificationRequired ? <NoMailNote /> : null}
      {access === 'people' ? (
        <ReadersField label="Readers" required {...form.getInputProps('allowList')} />
      ) : null}
      {access === 'people' && isNew ? <ForEachFields {...props} /> : null}
      {access === 'password' || (hasPassword && access !== 'anyone') ? (
        <PasswordField form={form} hasPassword={hasPassword} />
      ) : null}
      <ExpiryField {...form.getInputProps('expireTime')} />
      <DownloadFields {...props} />
      <TextInput
        label="Name"
        description="Optional. Only members of the workspace see it."
        maxLength={255}
        {...form.getInputProps('name')}
      />
      <MoreOptions {...props} />
    </>
  );
}

/** Who can open the link. */
function AccessField({ form }: { readonly form: LinkForm }) {
  const { access, passwordChange, password } = form.values;
  const choose = (next: string) => {
    if (!isLinkAccess(next)) return;
    form.setFieldValue('access', next);
    if (next === 'password' && passwordChange === 'remove') {
      form.setFieldValue('passwordChange', 'keep');
    }
    // A generated password must not stay unseen.
    if (passwordChange !== 'replace') return;
    if (next === 'password' && password === '') form.setFieldValue('password', generatePassword());
    else if (access === 'password') form.setFieldValue('password', '');
  };
  return (
    <Radio.Group
      label="Who can open it"
      value={access}
      onChange={choose}
      error={form.errors.access}
    >
      <Stack gap="xs" mt="xs">
        {accesses.map((value) => (
          <Radio
            key={value}
            value={value}
            label={accessLabels[value]}
            {...(value === access ? { 'data-autofocus': true } : {})}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** One link for each reader of the list. */
function ForEachFields({ form, workspaceId, targetName }: LinkFieldsProps) {
  return (
    <>
      <Checkbox
        label="One link for each reader"
        description="Only its reader can open each link, with a code sent by email."
        {...form.getInputProps('isForEach', { type: 'checkbox' })}
      />
      {form.values.isForEach && sendsMail() ? (
        <MailFields {...{ form, workspaceId, targetName }} />
      ) : null}
    </>
  );
}

function DownloadFields({ form, isShown }: LinkFieldsProps) {
  const cannotBeOpened = isShown === false && !form.values.allowDownload;
  return (
    <>
      <Checkbox
        label="Allow download"
        description={
          isShown === false
            ? 'Browsers can’t show this type of file, so readers need to download it.'
            : 'Otherwise, readers can only view.'
        }
        {...form.getInputProps('allowDownload', { type: 'checkbox' })}
      />
      <Checkbox
        label="Watermark"
        description={watermarkText(form.values)}
        {...form.getInputProps('watermark', { type: 'checkbox' })}
      />
      {cannotBeOpened ? (
        <Alert color="orange" title="Readers can’t open this document">
          Turn on “Allow download”, because browsers can’t show this type of file.
        </Alert>
      ) : null}
    </>
  );
}

const watermarkText = (values: LinkValues) =>
  `Each page shows ${emailRulesOf(values).emailRequired ? 'the reader’s email address, ' : ''}` +
  'the time and the ID of the link. Readers can open PDF, Office, JPEG and PNG files only.';

type SummaryProps = Pick<LinkFieldsProps, 'form' | 'hasPassword' | 'isShown'>;

/** One sentence about what readers meet. */
export function SummaryText({ form, hasPassword, isShown }: SummaryProps) {
  const { values } = form;
  const { access, passwordChange, password, expireTime } = values;
  const keeps =
    passwordChange === 'keep' ? hasPassword : passwordChange === 'replace' && password !== '';
  return (
    <Text size="sm" role="status">
      {summarizeRules({
        ...emailRulesOf(values),
        isLimited: access === 'people',
        isForEach: access === 'people' && values.isForEach,
        passwordRequired: access !== 'anyone' && keeps,
        hasAgreement: values.agreement !== '',
        viewLimit: Number(values.viewLimit) || undefined,
        allowDownload: values.allowDownload,
        watermark: values.watermark,
        isShown,
        isRoom: values.folderId !== '',
        expires: expireTime === '' ? undefined : new Date(expireTime),
      })}
    </Text>
  );
}
