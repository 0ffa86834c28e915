/** The options that are preselected for a new link of the workspace. */
import { Checkbox, NativeSelect, Text } from '@mantine/core';
import type { Workspace } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { emailAccessOf } from '../links/link-form.ts';
import { accessLabels } from '../links/link-state.tsx';
import { expiryDays } from '../shared/expiry-field.tsx';
import { WorkspaceForm } from './workspace-form.tsx';

const accesses = ['anyone', 'email', 'verified'] as const;

export function LinkDefaultsSection({ workspace }: { readonly workspace: Workspace }) {
  const { linkDefaults } = workspace;
  const days = [...new Set([0, ...expiryDays, linkDefaults?.expireDays ?? 0])];
  return (
    <WorkspaceForm
      title="New links"
      workspace={workspace}
      stored={{
        access: linkDefaults === undefined ? 'email' : emailAccessOf(linkDefaults),
        expireDays: String(linkDefaults?.expireDays ?? 0),
        allowDownload: linkDefaults?.allowDownload ?? false,
        watermark: linkDefaults?.watermark ?? false,
        programAccess: linkDefaults?.programAccess ?? false,
      }}
      label="Save link defaults"
      done="Link defaults saved"
      changes={({ access, expireDays, ...options }) => ({
        linkDefaults: {
          ...options,
          emailRequired: access !== 'anyone',
          emailVerificationRequired: access === 'verified',
          expireDays: Number(expireDays),
        },
      })}
    >
      {({ getInputProps }) => (
        <>
          <Text size="sm" c="dimmed">
            The console preselects these options when someone shares a document or a folder.
          </Text>
          <NativeSelect
            label="Who can open it"
            data={accesses.map((value) => ({ value, label: accessLabels[value] }))}
            {...getInputProps('access')}
          />
          <NativeSelect
            label="Expires"
            data={days.map((value) => ({
              value: String(value),
              label: value === 0 ? 'Never' : `After ${value} days`,
            }))}
            {...getInputProps('expireDays')}
          />
          <Checkbox
            label="Allow download"
            {...getInputProps('allowDownload', { type: 'checkbox' })}
          />
          <Checkbox label="Watermark" {...getInputProps('watermark', { type: 'checkbox' })} />
          <Checkbox
            label="Programs may read for a person"
            {...getInputProps('programAccess', { type: 'checkbox' })}
          />
        </>
      )}
    </WorkspaceForm>
  );
}
