/** The color and the logo of the pages and mails that readers of links see. */
import { Button, FileButton, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useSignIn } from '../session/session-context.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Section } from '../shared/section.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useFormEtag } from '../shared/use-form-etag.ts';
import { useInvalidate, useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { sendLogo } from './send-logo.ts';

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
      {error === undefined ? null : <ErrorAlert error={error} />}
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
      {error === undefined ? null : <ErrorAlert error={error} />}
    </>
  );
}
