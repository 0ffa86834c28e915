/** The recovery codes of the signed-in user. */
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useUser } from '../session/session-context.tsx';
import { CopyButton } from '../shared/copyable-text.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';

/** `left`: the number of unused codes. */
export function RecoveryCodes({ left }: { readonly left: number }) {
  const { id } = useUser();
  const create = useMethod(UserService.method.createRecoveryCodes);
  const [codes, setCodes] = useState<readonly string[]>();
  const action = usePendingAction();
  const renew = () => void action.run(async () => setCodes((await create({ userId: id })).codes));
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        {left === 0
          ? 'You have no recovery codes. Create some to sign in without your phone.'
          : `${left} of 10 recovery codes left. Each one replaces a code of the app once.`}
      </Text>
      <Button variant="default" loading={action.isPending} onClick={renew}>
        {left === 0 ? 'Create recovery codes' : 'Replace recovery codes'}
      </Button>
      {action.error === undefined ? null : <ErrorAlert error={action.error} />}
      <Modal
        opened={codes !== undefined}
        onClose={() => setCodes(undefined)}
        title="Recovery codes"
        closeOnClickOutside={false}
      >
        <Stack>
          <Text>
            Keep these codes where you keep your passwords. They are shown only now, and earlier
            codes no longer work.
          </Text>
          <pre className="mono">{codes?.join('\n')}</pre>
          <CopyButton text={codes?.join('\n') ?? ''} label="codes" />
          <Button onClick={() => setCodes(undefined)}>I have stored them</Button>
        </Stack>
      </Modal>
    </Stack>
  );
}
