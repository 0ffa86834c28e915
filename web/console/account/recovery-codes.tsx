/** The recovery codes of the signed-in user. */
import { Button, Stack, Text } from '@mantine/core';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useUser } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

/** Fewer codes get a warning. */
const fewCodes = 3;

/** `left`: the number of unused codes. */
export function RecoveryCodes({ left }: { readonly left: number }) {
  const { id } = useUser();
  const create = useMethod(UserService.method.createRecoveryCodes);
  const action = usePendingAction();
  const { open, confirm } = useDialogs();
  const renew = async () => {
    const { codes } = await create({ userId: id });
    open(<RecoveryCodesDialog title="Your recovery codes" codes={codes} />);
  };
  const ask = () =>
    confirm({
      title: 'Replace recovery codes?',
      consequence: 'You get ten new codes. The codes that you have stop working immediately.',
      label: 'Replace',
      run: renew,
    });
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" fw={500}>
        Recovery codes
      </Text>
      <Text size="sm" {...(left < fewCodes ? { c: 'var(--mantine-color-orange-text)' } : {})}>
        {statusText(left)}
      </Text>
      {left === 0 ? (
        <Button variant="default" loading={action.isPending} onClick={() => void action.run(renew)}>
          Create recovery codes
        </Button>
      ) : (
        <Button variant="default" onClick={ask}>
          Replace recovery codes
        </Button>
      )}
      <ErrorAlert error={action.error} />
    </Stack>
  );
}

function statusText(left: number): string {
  if (left === 0) return 'You have none. Without one, you can’t sign in if you lose your phone.';
  const text = `${left} of 10 recovery codes left.`;
  return left < fewCodes
    ? `${text} Replace them before you run out.`
    : `${text} Each one replaces a code of the app once.`;
}
