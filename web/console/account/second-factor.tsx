import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Badge, Button } from '@mantine/core';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useDialogs } from '../parts/dialogs.tsx';
import { Problem } from '../parts/problem.tsx';
import { useUser } from '../session/context.tsx';
import { EnrolDialog } from './enrol-dialog.tsx';
import { Section } from './section.tsx';

export function SecondFactor() {
  const { id } = useUser();
  const { data, error, refetch } = useQuery(UserService.method.getUser, { userId: id });
  const isOn = data?.user?.totpEnabled;
  return (
    <Section
      title="Second factor"
      about={
        <>
          An authenticator app on your phone shows a code of 6 digits, which a sign-in then asks for
          beside the password.{' '}
          {isOn === undefined ? null : (
            <Badge variant="light" color={isOn ? 'teal' : 'gray'}>
              {isOn ? 'On' : 'Off'}
            </Badge>
          )}
        </>
      }
      actions={isOn === true ? <Remove /> : null}
    >
      {error === null ? null : <Problem error={error} retry={() => void refetch()} />}
      {isOn === false ? <Enrol /> : null}
    </Section>
  );
}

function Enrol() {
  const { id } = useUser();
  const enrol = useMutation(UserService.method.enrolTotp, { gcTime: 0 });
  return (
    <>
      {enrol.error === null ? null : <Problem error={enrol.error} />}
      <div>
        <Button
          variant="default"
          loading={enrol.isPending}
          onClick={() => enrol.mutate({ userId: id })}
        >
          Add an authenticator app
        </Button>
      </div>
      <EnrolDialog seed={enrol.data} close={enrol.reset} />
    </>
  );
}

function Remove() {
  const { id } = useUser();
  const { confirm } = useDialogs();
  const remove = useMutation(UserService.method.removeTotp);
  const ask = () =>
    confirm({
      title: 'Remove your authenticator app?',
      consequence:
        'Its codes stop working at once, and from then on your password alone is enough to sign ' +
        'in. You can add an app again at any time.',
      label: 'Remove',
      act: () => remove.mutateAsync({ userId: id }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Remove the authenticator app
    </Button>
  );
}
