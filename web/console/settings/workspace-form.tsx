import type { MessageInitShape } from '@bufbuild/protobuf';
import { Button, Group, Paper, Stack } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import {
  type UpdateWorkspaceRequestSchema,
  type Workspace,
  WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Section } from '../shared/section.tsx';
import { showToast } from '../shared/toasts.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useFormAction } from '../shared/use-form-action.ts';
import { useFormEtag } from '../shared/use-form-etag.ts';
import { useMethod } from '../shared/use-method.ts';

export type WorkspaceFormProps<Values extends Record<string, unknown>> = {
  readonly title: string;
  readonly workspace: Workspace;
  readonly stored: Values;
  /** The label of the submit button. */
  readonly label: string;
  /** The message after a success. */
  readonly done: string;
  /** The changed fields of the request. */
  readonly changes: (values: Values) => MessageInitShape<typeof UpdateWorkspaceRequestSchema>;
  readonly children: (form: UseFormReturnType<Values>) => ReactNode;
};

/** Settings of a workspace that are changed on the screen, without a dialog. */
export function WorkspaceForm<Values extends Record<string, unknown>>(
  props: WorkspaceFormProps<Values>,
) {
  const { title, workspace, stored, label, done, changes, children } = props;
  const update = useMethod(WorkspaceService.method.updateWorkspace);
  const form = useForm({ initialValues: stored });
  const etag = useFormEtag(workspace.etag, stored, form.values);
  const { formProps, isPending, error, run } = useFormAction();
  const save = form.onSubmit(
    (values) =>
      void run(async () => {
        await update({ ...withMask(changes(values)), workspaceId: workspace.id, etag });
        showToast(done);
      }),
  );
  return (
    <Section title={title}>
      <Paper component="form" withBorder p="md" {...formProps} onSubmit={save}>
        <Stack>
          {children(form)}
          <ErrorAlert error={error} />
          <Group>
            <Button type="submit" variant="default" loading={isPending}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Paper>
    </Section>
  );
}
