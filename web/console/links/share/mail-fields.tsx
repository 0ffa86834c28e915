/** The mails to the recipients of new links, with a preview. */
import { useQuery } from '@connectrpc/connect-query';
import { Checkbox, Input, Paper, Stack, Text, Textarea } from '@mantine/core';
import { WorkspaceService } from '../../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { linkMailParts, linkMailSubject } from '../../../../src/base/mail/link-mail.ts';
import { mailText } from '../../../../src/base/mail/mail-body.ts';
import { emailRulesOf, type LinkForm, linkOptionsOf } from '../link-form.ts';

export type MailFieldsProps = {
  readonly form: LinkForm;
  readonly workspaceId: string;
  /** Undefined until the user has chosen a document or a folder. */
  readonly targetName: string | undefined;
};

export function MailFields({ form, workspaceId, targetName }: MailFieldsProps) {
  return (
    <>
      <Checkbox
        label="Email the links to the readers"
        {...form.getInputProps('mailRecipient', { type: 'checkbox' })}
      />
      {form.values.mailRecipient ? (
        <>
          <Textarea
            label="Message"
            description="Optional. The email quotes it as plain text."
            autosize
            minRows={2}
            maxRows={8}
            maxLength={1_000}
            {...form.getInputProps('mailMessage')}
          />
          {targetName === undefined ? null : <MailPreview {...{ form, workspaceId, targetName }} />}
        </>
      ) : null}
    </>
  );
}

type MailPreviewProps = MailFieldsProps & { readonly targetName: string };

function MailPreview({ form: { values }, workspaceId, targetName }: MailPreviewProps) {
  const { data } = useQuery(WorkspaceService.method.getWorkspace, { workspaceId });
  const mail = {
    workspaceName: data?.workspace?.name ?? '',
    title: values.showTitle ? targetName : undefined,
    isRoom: values.folderId !== '',
    hasPassword: linkOptionsOf(values).password !== '',
    requiresCode: emailRulesOf(values).emailVerificationRequired,
    message: values.mailMessage,
    url: 'https://… (each reader gets a different link)',
  };
  return (
    <Input.Wrapper label="Preview of the email" labelElement="div">
      <Paper withBorder p="sm" mt={4} component="section" aria-label="Preview of the email">
        <Stack gap="xs">
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {linkMailSubject(mail)}
          </Text>
          <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
            {mailText(linkMailParts(mail), Number.POSITIVE_INFINITY)}
          </Text>
        </Stack>
      </Paper>
    </Input.Wrapper>
  );
}
