/** The rule of a workspace that requires a second factor of its members. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Button, Checkbox, Group, NativeSelect, Paper, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { formatDateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Section } from '../shared/section.tsx';
import { showToast } from '../shared/toasts.tsx';
import { useFormEtag } from '../shared/use-form-etag.ts';
import { useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';

const offeredDays = [0, 1, 3, 7, 14, 30];

export function SecondFactorSection({ workspace }: { readonly workspace: Workspace }) {
  const { id: workspaceId, requireSecondFactor, graceDays, secondFactorDueTime } = workspace;
  const update = useMethod(WorkspaceService.method.updateWorkspace);
  const { isPending, error, run } = usePendingAction();
  const stored = {
    requireSecondFactor,
    // A week for a workspace that never had the rule.
    graceDays: String(requireSecondFactor || graceDays > 0 ? graceDays : 7),
  };
  const form = useForm({ initialValues: stored });
  const etag = useFormEtag(workspace.etag, stored, form.values);
  const days = [...new Set([...offeredDays, graceDays])].toSorted((a, b) => a - b);
  const save = form.onSubmit(
    (values) =>
      void run(async () => {
        const next = { ...values, graceDays: Number(values.graceDays) };
        const paths = ['require_second_factor', 'grace_days'];
        await update({ workspaceId, etag, ...next, updateMask: { paths } });
        showToast('Sign-in rule saved');
      }),
  );
  return (
    <Section title="Sign-in of members">
      <Paper component="form" withBorder p="md" onSubmit={save}>
        <Stack>
          <Checkbox
            label="Require a second factor"
            description={
              'A passkey, an authenticator app, or a company sign-in that confirms one. API keys ' +
              'are not affected.'
            }
            {...form.getInputProps('requireSecondFactor', { type: 'checkbox' })}
          />
          <NativeSelect
            label="Grace period"
            description="How long members can work without a second factor."
            disabled={!form.values.requireSecondFactor}
            data={days.map((value) => ({ value: String(value), label: labelOf(value) }))}
            {...form.getInputProps('graceDays')}
          />
          {secondFactorDueTime === undefined ? null : (
            <Text size="sm" c="dimmed">
              From {formatDateTime(timestampDate(secondFactorDueTime))}, members without a second
              factor can only add one.
            </Text>
          )}
          {error === undefined ? null : <ErrorAlert error={error} />}
          <Group>
            <Button type="submit" variant="default" loading={isPending}>
              Save sign-in rule
            </Button>
          </Group>
        </Stack>
      </Paper>
    </Section>
  );
}

function labelOf(days: number): string {
  if (days === 0) return 'None';
  return days === 1 ? '1 day' : `${days} days`;
}
