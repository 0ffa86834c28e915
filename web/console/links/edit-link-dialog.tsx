import { useQuery } from '@connectrpc/connect-query';
import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { LinkFields, SummaryText } from './link-fields.tsx';
import {
  type LinkValues,
  linkOptionsOf,
  linkRules,
  linkValuesOf,
  updateMaskPaths,
} from './link-form.ts';

export type EditLinkDialogProps = { readonly link: Link };

/** A link of a list lacks the text of its agreement. */
export default function EditLinkDialog({ link }: EditLinkDialogProps) {
  const { workspaceId, id: linkId, agreement, agreementSha256 } = link;
  const isWhole = agreementSha256 === '' || agreement !== '';
  const { data } = useQuery(
    LinkService.method.getLink,
    { workspaceId, linkId },
    { enabled: !isWhole },
  );
  const whole = isWhole ? link : data?.link;
  return whole === undefined ? null : <EditForm link={whole} />;
}

function EditForm({ link }: EditLinkDialogProps) {
  const { workspaceId, id: linkId, etag, passwordRequired: hasPassword } = link;
  const update = useMethod(LinkService.method.updateLink);
  const isShown = useViewable(link);
  const form = useForm<LinkValues>({
    initialValues: linkValuesOf(link),
    validate: linkRules(hasPassword),
  });

  async function submit(values: LinkValues) {
    const paths = updateMaskPaths(values, linkValuesOf(link));
    if (paths.length === 0) return;
    await update({ workspaceId, linkId, etag, ...linkOptionsOf(values), updateMask: { paths } });
  }

  return (
    <FormDialog title="Edit link" label="Save" done="Link saved" form={form} submit={submit}>
      <SummaryText form={form} hasPassword={hasPassword} isShown={isShown} />
      <Text size="sm" c="dimmed">
        Changes apply immediately, and the URL stays the same. If you change who can open the link,
        everyone has to pass the new checks, including readers who have it open now.
      </Text>
      <LinkFields {...{ form, workspaceId, hasPassword, isShown }} isNew={false} />
    </FormDialog>
  );
}

/** Whether the viewer shows the document; undefined if that is not known, and for a folder. */
function useViewable({ workspaceId, documentId }: Link): boolean | undefined {
  const { data } = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId },
    { enabled: documentId !== '' },
  );
  return data?.document?.viewable;
}
