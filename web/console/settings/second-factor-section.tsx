/** The rule of a workspace that requires a second factor of its members. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Checkbox, NativeSelect, Text } from '@mantine/core';
import type { Workspace } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { formatDateTime } from '../shared/date-time.tsx';
import { WorkspaceForm } from './workspace-form.tsx';

const offeredDays = [0, 1, 3, 7, 14, 30];

export function SecondFactorSection({ workspace }: { readonly workspace: Workspace }) {
  const { requireSecondFactor, graceDays, secondFactorDueTime } = workspace;
  const days = [...new Set([...offeredDays, graceDays])].toSorted((a, b) => a - b);
  return (
    <WorkspaceForm
      title="Sign-in of members"
      workspace={workspace}
      stored={{
        requireSecondFactor,
        // A week for a workspace that never had the rule.
        graceDays: String(requireSecondFactor || graceDays > 0 ? graceDays : 7),
      }}
      label="Save sign-in rule"
      done="Sign-in rule saved"
      changes={(values) => ({ ...values, graceDays: Number(values.graceDays) })}
    >
      {(form) => (
        <>
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
        </>
      )}
    </WorkspaceForm>
  );
}

function labelOf(days: number): string {
  if (days === 0) return 'None';
  return days === 1 ? '1 day' : `${days} days`;
}
