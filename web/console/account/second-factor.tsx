import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Checkbox, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type EnrolTotpResponse, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useAct, useActing } from '../parts/act.ts';
import { useFocusBack } from '../parts/focus-back.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { useUser } from '../session/context.tsx';
import { Card } from './card.tsx';
import { EnrolDialog } from './enrol-dialog.tsx';

export function SecondFactor() {
  const { id } = useUser();
  const { data, error, refetch } = useQuery(UserService.method.getUser, { userId: id });
  const enrol = useAct(UserService.method.enrolTotp);
  const [seed, setSeed] = useState<EnrolTotpResponse>();
  const acting = useActing();
  const keepFocus = useFocusBack(acting.isPending || seed !== undefined);
  const isOn = data?.user?.totpEnabled;
  const begin = () => {
    keepFocus();
    void acting.run(async () => setSeed(await enrol({ userId: id })));
  };
  return (
    <Card
      title="Second factor"
      state={isOn === undefined ? null : <State isOn={isOn} />}
      about={
        'An authenticator app on your phone shows a code of 6 digits, which a sign-in then asks ' +
        'for beside the password.'
      }
      actions={
        isOn === false ? (
          <Button variant="default" loading={acting.isPending} onClick={begin}>
            Add an authenticator app
          </Button>
        ) : (
          isOn && <Remove />
        )
      }
    >
      {error === null ? null : <Problem error={error} retry={() => void refetch()} />}
      {acting.error === undefined ? null : <Problem error={acting.error} />}
      <EnrolDialog seed={seed} close={() => setSeed(undefined)} />
    </Card>
  );
}

function State({ isOn }: { readonly isOn: boolean }) {
  return (
    <Badge variant="light" {...(isOn ? {} : { color: 'gray' })}>
      {isOn ? 'On' : 'Off'}
    </Badge>
  );
}

function Remove() {
  const { id } = useUser();
  const [isOpen, { open, close }] = useDisclosure(false);
  const remove = useAct(UserService.method.removeTotp);
  const form = useForm({ mode: 'uncontrolled', initialValues: { endOtherSessions: false } });
  return (
    <>
      <Button variant="default" onClick={open}>
        Remove the authenticator app
      </Button>
      <FormDialog
        title="Remove your authenticator app?"
        label="Remove"
        isOpen={isOpen}
        close={() => {
          form.reset();
          close();
        }}
        form={form}
        submit={({ endOtherSessions }) => remove({ userId: id, endOtherSessions })}
      >
        <Text>
          Its codes stop working at once, and from then on your password alone is enough to sign in.
          You can add an app again at any time.
        </Text>
        <Checkbox
          label="End my other sessions"
          key={form.key('endOtherSessions')}
          {...form.getInputProps('endOtherSessions', { type: 'checkbox' })}
        />
      </FormDialog>
    </>
  );
}
