/** Creates links to a document or a folder, and copies their URLs. */
import { useQuery } from '@connectrpc/connect-query';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { DocumentService } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import {
  type LinkDefaults,
  WorkspaceService,
} from '../../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { copyLater } from '../../shared/copy-text.ts';
import { useDialogs } from '../../shared/dialogs.tsx';
import { expiryAfter } from '../../shared/expiry-field.tsx';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { isolateName } from '../../shared/isolate-name.tsx';
import { useMethod } from '../../shared/use-method.ts';
import { LinkFields, SummaryText } from '../link-fields.tsx';
import {
  emailAccessOf,
  type LinkValues,
  linkOptionsOf,
  linkRules,
  newLinkValues,
  recipientBatch,
} from '../link-form.ts';
import { idFieldOf, type ShareTarget } from './share-target.ts';
import { SharedLinksDialog, textOfLinks } from './shared-links-dialog.tsx';
import { TargetField } from './target-field.tsx';

export type ShareDialogProps = {
  readonly workspaceId: string;
  /** Unset: the user chooses a document or a folder. */
  readonly target?: ShareTarget;
};

/** Begins with the options that the workspace prefers. */
export default function ShareDialog(props: ShareDialogProps) {
  const { workspaceId } = props;
  const query = useQuery(WorkspaceService.method.getWorkspace, { workspaceId });
  if (query.isPending) return null;
  return <ShareForm {...props} defaults={preferredValues(query.data?.workspace?.linkDefaults)} />;
}

function preferredValues(defaults: LinkDefaults | undefined): LinkValues {
  if (defaults === undefined) return newLinkValues;
  const { allowDownload, watermark, programAccess, expireDays } = defaults;
  return {
    ...newLinkValues,
    access: emailAccessOf(defaults),
    allowDownload,
    watermark,
    programAccess,
    expireTime: expiryAfter(expireDays),
  };
}

type ShareFormProps = ShareDialogProps & { readonly defaults: LinkValues };

function ShareForm({ workspaceId, target: given, defaults }: ShareFormProps) {
  const [target, setTarget] = useState(given);
  const { open } = useDialogs();
  const create = useCreateLinks(workspaceId);
  const isShown = useViewable(workspaceId, target);
  const idFields = target === undefined ? {} : idFieldOf(target);
  const form = useForm<LinkValues>({
    initialValues: { ...defaults, ...idFields },
    validate: linkRules(false),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target
  useEffect(() => {
    const { documentId = '', folderId = '' } = idFields;
    const allowDownload = defaults.allowDownload || isShown === false;
    form.setValues({ documentId, folderId, pinnedVersion: '0', allowDownload });
  }, [target?.id, isShown]);

  async function submit(values: LinkValues) {
    const creating = create(values);
    const near = document.activeElement;
    // Browsers allow copying only if it starts with the click.
    const copying =
      near instanceof HTMLElement
        ? copyLater(creating.then(textOfLinks), near).catch(() => false)
        : false;
    const links = await creating;
    const { password } = linkOptionsOf(values);
    const isMailed = isForEach(values) && values.mailRecipient;
    const isCopied = await copying;
    open(<SharedLinksDialog {...{ links, password, isShown, isMailed, isCopied }} />);
  }

  return (
    <FormDialog
      title={given === undefined ? 'Create link' : `Share “${isolateName(given.name)}”`}
      label={isForEach(form.values) ? 'Create and copy links' : 'Create and copy link'}
      form={form}
      submit={submit}
    >
      <SummaryText form={form} hasPassword={false} isShown={isShown} />
      {given === undefined ? (
        <TargetField
          workspaceId={workspaceId}
          isRequired
          error={form.errors.documentId}
          choose={setTarget}
        />
      ) : null}
      <LinkFields
        {...{ form, workspaceId, isShown }}
        targetName={target?.name}
        hasPassword={false}
        isNew
      />
    </FormDialog>
  );
}

/** Whether each reader gets a different link. */
const isForEach = (values: LinkValues) => values.access === 'people' && values.isForEach;

/** Whether the viewer shows the target. Undefined if not known yet, and for a folder. */
function useViewable(workspaceId: string, target: ShareTarget | undefined): boolean | undefined {
  const documentId = (target && idFieldOf(target).documentId) ?? '';
  const { data } = useQuery(
    DocumentService.method.getDocument,
    { workspaceId, documentId },
    { enabled: documentId !== '' && target?.viewable === undefined },
  );
  return target?.viewable ?? data?.document?.viewable;
}

function useCreateLinks(workspaceId: string): (values: LinkValues) => Promise<readonly Link[]> {
  const createOne = useMethod(LinkService.method.createLink);
  const createMany = useMethod(LinkService.method.batchCreateLinks);
  return async (values) => {
    const { documentId, folderId } = values;
    const target = { documentId, folderId };
    if (isForEach(values)) {
      return (await createMany({ workspaceId, ...recipientBatch(values, target) })).links;
    }
    const { link } = await createOne({ workspaceId, ...target, ...linkOptionsOf(values) });
    if (link === undefined) throw new TypeError('the response contains no link');
    return [link];
  };
}
