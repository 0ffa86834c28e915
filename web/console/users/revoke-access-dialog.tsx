/** Asks which parts of a user's access to end, and lists the consequences. */
import { useQuery } from '@connectrpc/connect-query';
import { Checkbox, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  type AccessPart,
  type RevokeAllAccessResponse,
  type UserAccess,
  UserAccessService,
} from '../../../gen/latchkey/identity/v1/user_access_pb.js';
import type { User } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { displayName } from '../shared/display-name.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';
import { accessParts, countsText, keptCounts } from './access-kinds.ts';

type RevokeAccessDialogProps = {
  readonly user: User;
  readonly access: UserAccess;
  readonly onDone: (result: RevokeAllAccessResponse) => void;
};

export function RevokeAccessDialog({ user, access, onDone }: RevokeAccessDialogProps) {
  const form = useForm({
    mode: 'controlled',
    initialValues: { parts: accessParts.map(({ part }) => String(part)) },
    validate: { parts: (parts) => (parts.length === 0 ? 'Choose what to end.' : null) },
  });
  const { revokeAllAccess } = UserAccessService.method;
  const revoke = useMethod(revokeAllAccess);
  const request = { userId: user.id, parts: form.values.parts.map(Number) as AccessPart[] };
  const preview = useQuery(
    revokeAllAccess,
    { ...request, validateOnly: true },
    { enabled: request.parts.length > 0, gcTime: 0, retry: false },
  );
  return (
    <FormDialog
      title={`Revoke all access of ${isolateName(displayName(user))}?`}
      label="Revoke access"
      form={form}
      isDestructive
      submit={async () => onDone(await revoke(request))}
    >
      <Checkbox.Group {...form.getInputProps('parts')}>
        <Stack gap="sm">
          {accessParts.map(({ part, label, about }) => {
            const counts = countsText(access, part);
            return (
              <Checkbox
                key={part}
                value={String(part)}
                label={label}
                description={counts === '' ? about : `${about} Now: ${counts}.`}
              />
            );
          })}
        </Stack>
      </Checkbox.Group>
      <ErrorAlert error={preview.error} />
      {preview.data === undefined
        ? null
        : stayingTexts(preview.data).map((text) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
      <Text size="sm">You can’t undo this. It takes effect within a second.</Text>
    </FormDialog>
  );
}

/** The things that keep working. */
export function stayingTexts(result: RevokeAllAccessResponse): string[] {
  const { remainingTokenSeconds: seconds, remainingClients, remainingCustomers } = result;
  const { remaining } = result;
  const authenticatesOthers =
    (remaining?.identityProviders?.totalSize ?? 0) + (remaining?.trustedIssuers?.totalSize ?? 0) >
    0;
  const kept = [
    'documents',
    ...(remainingClients === 0 ? [] : [counted(remainingClients, 'client')]),
    ...(remainingCustomers === 0 ? [] : [counted(remainingCustomers, 'customer')]),
    ...keptCounts(remaining),
  ];
  return [
    `Kept: ${kept.join(', ')} that the user created.`,
    ...(authenticatesOthers
      ? [
          'Identity providers and trusted issuers authenticate others. ' +
            'Disable those that the user still controls.',
        ]
      : []),
    'Rotate secrets of others that the user may have copied.',
    ...(seconds === 0
      ? []
      : [`Tokens that clients got with these secrets stay valid for up to ${seconds} seconds.`]),
  ];
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
