/** What can be done about a user. Who may do it to whom is the service's to say. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useAct } from '../parts/act.ts';
import { callName } from '../parts/call-name.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { EnableButton } from '../parts/enable-button.tsx';
import { isolated } from '../parts/isolated.tsx';
import { ChangeScopes } from './change-scopes-dialog.tsx';
import { EditUser } from './edit-user-dialog.tsx';
import { SetPassword } from './set-password-dialog.tsx';

type Dialog = 'edit' | 'scopes' | 'password';

export function UserActions({ user, isSelf }: { readonly user: User; readonly isSelf: boolean }) {
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const of = (name: Dialog) => ({ user, isOpen: dialog === name, close });
  const buttons: readonly (readonly [string, () => void])[] = [
    ['Change name and e-mail', () => setDialog('edit')],
    ...(user.kind === UserKind.STAFF
      ? ([['Change scopes', () => setDialog('scopes')]] as const)
      : []),
    ['Set password', () => setDialog('password')],
  ];
  return (
    <>
      {buttons.map(([label, act]) => (
        <Button key={label} variant="default" onClick={act}>
          {label}
        </Button>
      ))}
      {user.totpEnabled ? <RemoveFactor user={user} /> : null}
      {user.disableTime === undefined ? (
        <Disable user={user} isSelf={isSelf} />
      ) : (
        <Enable user={user} />
      )}
      <EditUser key={`edit ${user.name} ${user.email}`} {...of('edit')} />
      <ChangeScopes key={`scopes ${user.scopes}`} {...of('scopes')} />
      <SetPassword {...of('password')} isSelf={isSelf} />
    </>
  );
}

function RemoveFactor({ user }: { readonly user: User }) {
  const { confirm } = useDialogs();
  const remove = useAct(UserService.method.removeTotp);
  const ask = () =>
    confirm({
      title: `Remove the authenticator app of ${isolated(callName(user))}?`,
      consequence:
        'The next sign-in asks for the password alone, and codes of the app are ' +
        'good for nothing any more. Do it for somebody who has lost the device; they can set up ' +
        'another one on their page “Your account”.',
      label: 'Remove',
      act: () => remove({ userId: user.id }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Remove the authenticator app
    </Button>
  );
}

function Disable({ user, isSelf }: { readonly user: User; readonly isSelf: boolean }) {
  const { confirm } = useDialogs();
  const disable = useAct(UserService.method.disableUser);
  const ask = () =>
    confirm({
      title: `Disable ${isolated(callName(user))}?`,
      consequence:
        'Every session of the user ends at once, and no sign-in succeeds until somebody enables ' +
        `the user again.${isSelf ? ' This is you: you will be signed out.' : ''}`,
      label: 'Disable',
      act: () => disable({ userId: user.id }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Disable
    </Button>
  );
}

function Enable({ user: { id } }: { readonly user: User }) {
  const enable = useAct(UserService.method.enableUser);
  return <EnableButton enable={() => enable({ userId: id })} />;
}
