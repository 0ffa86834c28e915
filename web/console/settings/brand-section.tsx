/** The color and the logo of the pages and mails that readers of links see. */
import { Code, ConnectError } from '@connectrpc/connect';
import { Button, FileButton, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { parseProblem } from '../session/problem-error.ts';
import type { Session } from '../session/session.ts';
import { useSignIn } from '../session/session-context.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Section } from '../shared/section.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useFormEtag } from '../shared/use-form-etag.ts';
import { useInvalidate, useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';

const defaultColor = '#1d5bb8';

export function BrandSection({ workspace }: { readonly workspace: Workspace }) {
  return (
    <Section title="Brand">
      <Paper withBorder p="md">
        <Stack>
          <Text size="sm" c="dimmed">
            Readers see the name, the logo and the color of the workspace on the access page, in the
            viewer and in emails.
          </Text>
          <ColorForm workspace={workspace} />
          <Logo workspace={workspace} />
        </Stack>
      </Paper>
    </Section>
  );
}

function ColorForm({ workspace }: { readonly workspace: Workspace }) {
  const { id: workspaceId, brand } = workspace;
  const stored = { color: brand?.accentColor || defaultColor };
  const [color, setColor] = useState(stored.color);
  const etag = useFormEtag(workspace.etag, stored, { color });
  const { isPending, error, run, clearError } = usePendingAction();
  const update = useMethod(WorkspaceService.method.updateWorkspace);
  const save = (accentColor: string) =>
    void run(async () => {
      await update({ workspaceId, etag, ...withMask({ brand: { accentColor } }) });
      setColor(accentColor || defaultColor);
    });
  return (
    <>
      <Group align="flex-end" gap="xs">
        <TextInput
          type="color"
          label="Button color"
          w={160}
          value={color}
          onChange={(event) => {
            clearError();
            setColor(event.currentTarget.value);
          }}
        />
        <Button variant="default" loading={isPending} onClick={() => save(color)}>
          Save color
        </Button>
        {brand?.accentColor ? (
          <Button variant="subtle" color="gray" disabled={isPending} onClick={() => save('')}>
            Reset
          </Button>
        ) : null}
      </Group>
      <ErrorAlert error={error} />
    </>
  );
}

function Logo({ workspace: { id: workspaceId, name, brand } }: { readonly workspace: Workspace }) {
  const { session } = useSignIn();
  const invalidate = useInvalidate();
  const { isPending, error, run } = usePendingAction();
  const remove = useMethod(WorkspaceService.method.deleteWorkspaceLogo);
  const logo = brand?.logoUrl ?? '';
  const send = (file: File | null) => {
    if (file === null) return;
    void run(async () => {
      await sendLogo(session, workspaceId, file);
      await invalidate(WorkspaceService);
    });
  };
  return (
    <>
      <Group gap="sm">
        {logo === '' ? null : <img src={logo} alt={`Logo of ${name}`} height={40} />}
        <FileButton accept="image/png,image/jpeg,image/webp" onChange={send}>
          {(props) => (
            <Button {...props} variant="default" loading={isPending}>
              {logo === '' ? 'Upload logo' : 'Replace logo'}
            </Button>
          )}
        </FileButton>
        {logo === '' ? null : (
          <Button
            variant="subtle"
            color="gray"
            disabled={isPending}
            onClick={() => void run(() => remove({ workspaceId }))}
          >
            Remove logo
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        PNG, JPEG or WebP, at most 1 MB and 2,000 × 2,000 pixels.
      </Text>
      <ErrorAlert error={error} />
    </>
  );
}

/** Uploads the logo of a workspace. Throws the error of the service. */
async function sendLogo(session: Session, workspaceId: string, file: File): Promise<void> {
  const body = new FormData();
  body.append('file', file, file.name);
  await session.send(async (token) => {
    const response = await fetch(`/workspaces/${encodeURIComponent(workspaceId)}/logo`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body,
    }).catch(() => {
      throw new ConnectError('The connection was lost.', Code.Unavailable);
    });
    if (response.ok) return;
    throw parseProblem(response.status, await response.text(), response.headers.get('retry-after'));
  });
}
