/** Creates a link to a document with one click and copies its URL. */
import { Button, type ButtonProps, Loader, Popover, Stack } from '@mantine/core';
import { IconShare3 } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { type Link, LinkService } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { useHasScope } from '../../session/session-context.tsx';
import { copyLater } from '../../shared/copy-text.ts';
import { ErrorAlert } from '../../shared/error-alert.tsx';
import { useMethod } from '../../shared/use-method.ts';
import { useEditLink } from '../use-edit-link.tsx';
import { type QuickLinkTarget, useQuickLinkOptions } from './quick-link-options.ts';
import { SharedLink } from './shared-link.tsx';

export type ShareButtonProps = Pick<ButtonProps, 'variant' | 'size'> & {
  readonly document: QuickLinkTarget;
  /** Whether the label alone does not say which document, as in a table. */
  readonly isOneOfMany?: boolean;
};

/** Hidden from users who cannot create links. */
export function ShareButton(props: ShareButtonProps) {
  return useHasScope()('links:write') ? <Share {...props} /> : null;
}

type QuickLink = { readonly link: Link; readonly isShown: boolean | undefined };

type Sharing = { readonly made?: QuickLink; readonly isCopied: boolean; readonly error?: unknown };

const idle: Sharing = { isCopied: false };

function Share({ document, isOneOfMany = false, ...buttonProps }: ShareButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [{ made, isCopied, error }, setSharing] = useState(idle);
  const button = useRef<HTMLButtonElement>(null);
  const create = useCreateQuickLink(document);
  const edit = useEditLink((link) =>
    setSharing({ made: { isShown: made?.isShown, link }, isCopied }),
  );
  const titleId = useId();

  async function share() {
    setOpen(true);
    setSharing(made === undefined ? idle : { made, isCopied: false });
    try {
      const created = made === undefined ? create() : Promise.resolve(made);
      const near = button.current;
      const copying =
        near === null
          ? false
          : copyLater(
              created.then(({ link }) => link.url),
              near,
            );
      const finished = await created;
      setSharing({ made: finished, isCopied: false });
      setSharing({ made: finished, isCopied: await copying });
    } catch (thrown) {
      setSharing({ isCopied: false, error: thrown });
    }
  }

  return (
    <Popover opened={isOpen} onChange={setOpen} width={340} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button
          ref={button}
          leftSection={<IconShare3 size={16} />}
          {...buttonProps}
          {...(isOneOfMany ? { 'aria-label': `Share “${document.name}”` } : {})}
          onClick={() => (isOpen ? setOpen(false) : void share())}
        >
          Share
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={titleId}>
        {error === undefined ? null : <ErrorAlert error={error} retry={() => void share()} />}
        {made === undefined && error === undefined ? (
          <Stack align="center" p="md">
            <Loader size="sm" aria-label="Loading the link" />
          </Stack>
        ) : null}
        {made === undefined ? null : (
          <SharedLink
            {...made}
            isCopied={isCopied}
            titleId={titleId}
            edit={() => {
              setOpen(false);
              edit(made.link);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function useCreateQuickLink(document: QuickLinkTarget): () => Promise<QuickLink> {
  const create = useMethod(LinkService.method.createLink);
  const optionsOf = useQuickLinkOptions(document);
  return async () => {
    const { workspaceId, id: documentId } = document;
    const { isShown, ...options } = await optionsOf();
    const { link } = await create({ workspaceId, documentId, ...options });
    if (link === undefined) throw new TypeError('the response contains no link');
    return { link, isShown };
  };
}
