/** The options that are preselected for a new link of the workspace. */
import { Button, Checkbox, Group, NativeSelect, Paper, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { emailAccessOf } from '../links/link-form.ts';
import { accessLabels } from '../links/link-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { expiryDays } from '../shared/expiry-field.tsx';
import { Section } from '../shared/section.tsx';
import { showToast } from '../shared/toasts.tsx';
import { useFormEtag } from '../shared/use-form-etag.ts';
import { useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';

const accesses = ['anyone', 'email', 'verified'] as const;

export function LinkDefaultsSection({ workspace }: { readonly workspace: Workspace }) {
  const { id: workspaceId, linkDefaults } = workspace;
  const update = useMethod(WorkspaceService.method.updateWorkspace);
  const { isPending, error, run } = usePendingAction();
  const stored = {
    access: linkDefaults === undefined ? 'email' : emailAccessOf(linkDefaults),
    expireDays: String(linkDefaults?.expireDays ?? 0),
    allowDownload: linkDefaults?.allowDownload ?? false,
    watermark: linkDefaults?.watermark ?? false,
    programAccess: linkDefaults?.programAccess ?? false,
  };
  const form = useForm({ initialValues: stored });
  const etag = useFormEtag(workspace.etag, stored, form.values);
  const days = [...new Set([0, ...expiryDays, linkDefaults?.expireDays ?? 0])];
  const save = form.onSubmit(
    ({ access, expireDays, allowDownload, watermark, programAccess }) =>
      void run(async () => {
        const next = {
          emailRequired: access !== 'anyone',
          emailVerificationRequired: access === 'verified',
          expireDays: Number(expireDays),
          allowDownload,
          watermark,
          programAccess,
        };
        const paths = ['link_defaults'];
        await update({ workspaceId, etag, linkDefaults: next, updateMask: { paths } });
        showToast('Link defaults saved');
      }),
  );
  return (
    <Section title="New links">
      <Paper component="form" withBorder p="md" onSubmit={save}>
        <Stack>
          <Text size="sm" c="dimmed">
            The console preselects these options when someone shares a document or a folder.
          </Text>
          <NativeSelect
            label="Who can open it"
            data={accesses.map((value) => ({ value, label: accessLabels[value] }))}
            {...form.getInputProps('access')}
          />
          <NativeSelect
            label="Expires"
            data={days.map((value) => ({
              value: String(value),
              label: value === 0 ? 'Never' : `After ${value} days`,
            }))}
            {...form.getInputProps('expireDays')}
          />
          <Checkbox
            label="Allow download"
            {...form.getInputProps('allowDownload', { type: 'checkbox' })}
          />
          <Checkbox label="Watermark" {...form.getInputProps('watermark', { type: 'checkbox' })} />
          <Checkbox
            label="Programs may read for a person"
            {...form.getInputProps('programAccess', { type: 'checkbox' })}
          />
          {error === undefined ? null : <ErrorAlert error={error} />}
          <Group>
            <Button type="submit" variant="default" loading={isPending}>
              Save link defaults
            </Button>
          </Group>
        </Stack>
      </Paper>
    </Section>
  );
}
