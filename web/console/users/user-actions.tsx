/** What can be done about a user. Who may do it to whom is the service's to say. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { displayName } from '../shared/display-name.ts';
import { EnableButton } from '../shared/enable-button.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';
import { ChangeUserScopesDialog } from './change-user-scopes-dialog.tsx';
import { EditUserDialog } from './edit-user-dialog.tsx';
import { SetPasswordDialog } from './set-password-dialog.tsx';

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
      <EditUserDialog key={`edit ${user.name} ${user.email}`} {...of('edit')} />
      <ChangeUserScopesDialog key={`scopes ${user.scopes}`} {...of('scopes')} />
      <SetPasswordDialog {...of('password')} isSelf={isSelf} />
    </>
  );
}

function RemoveFactor({ user }: { readonly user: User }) {
  const { confirm } = useDialogs();
  const remove = useMethod(UserService.method.removeTotp);
  const ask = () =>
    confirm({
      title: `Remove the authenticator app of ${isolateName(displayName(user))}?`,
      consequence:
        'The next sign-in asks for the password alone, and codes of the app are ' +
        'good for nothing any more. Do it for somebody who has lost the device; they can set up ' +
        'another one on their page “Your account”.',
      label: 'Remove',
      run: () => remove({ userId: user.id }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Remove the authenticator app
    </Button>
  );
}

function Disable({ user, isSelf }: { readonly user: User; readonly isSelf: boolean }) {
  const { confirm } = useDialogs();
  const disable = useMethod(UserService.method.disableUser);
  const ask = () =>
    confirm({
      title: `Disable ${isolateName(displayName(user))}?`,
      consequence:
        'Every session of the user ends at once, and no sign-in succeeds until somebody enables ' +
        `the user again.${isSelf ? ' This is you: you will be signed out.' : ''}`,
      label: 'Disable',
      run: () => disable({ userId: user.id }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Disable
    </Button>
  );
}

function Enable({ user: { id } }: { readonly user: User }) {
  const enable = useMethod(UserService.method.enableUser);
  return <EnableButton enable={() => enable({ userId: id })} />;
}
