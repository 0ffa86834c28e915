/** Actions on a user. The service checks whether they are permitted. */
import { Button } from '@mantine/core';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { DeleteButton, RestoreButton } from '../shared/delete-button.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { displayName } from '../shared/display-name.ts';
import { EnableButton } from '../shared/enable-button.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { linkSentText } from '../shared/no-mail-note.tsx';
import { useMethod } from '../shared/use-method.ts';
import { ChangeUserScopesDialog } from './change-user-scopes-dialog.tsx';
import { EditUserDialog } from './edit-user-dialog.tsx';
import { SetPasswordDialog } from './set-password-dialog.tsx';
import { useLocalPasswords } from './use-local-passwords.ts';

export function UserActions({ user, isSelf }: { readonly user: User; readonly isSelf: boolean }) {
  const { open } = useDialogs();
  const undelete = useMethod(UserService.method.undeleteUser);
  const restore = () => undelete({ userId: user.id });
  // A button that appears and vanishes could receive the click for another one.
  const hasPasswords = useLocalPasswords() ?? false;
  if (user.deleteTime !== undefined) return <RestoreButton restore={restore} />;
  const buttons = [
    ['Edit', <EditUserDialog key="edit" user={user} />],
    ...(user.kind === UserKind.STAFF
      ? [['Change scopes', <ChangeUserScopesDialog key="scopes" user={user} />] as const]
      : []),
    ...(hasPasswords
      ? [
          [
            'Set password',
            <SetPasswordDialog key="password" user={user} isSelf={isSelf} />,
          ] as const,
        ]
      : []),
  ] as const;
  return (
    <>
      {buttons.map(([label, dialog]) => (
        <Button key={label} variant="default" onClick={() => open(dialog)}>
          {label}
        </Button>
      ))}
      {hasPasswords && !isSelf && user.disableTime === undefined ? (
        <MailPasswordLinkButton user={user} />
      ) : null}
      {user.totpEnabled ? <RemoveTotpButton user={user} /> : null}
      {user.disableTime === undefined ? (
        <DisableUserButton user={user} isSelf={isSelf} />
      ) : (
        <EnableUserButton user={user} />
      )}
      {isSelf ? null : <DeleteUserButton user={user} restore={restore} />}
    </>
  );
}

function MailPasswordLinkButton({ user }: { readonly user: User }) {
  const { confirm } = useDialogs();
  const mail = useMethod(UserService.method.mailPasswordLink);
  const ask = () =>
    confirm({
      title: `Email a password link to ${isolateName(displayName(user))}?`,
      consequence:
        'The link opens a page to choose a new password. It works once and expires after 7 days. ' +
        'Until the user chooses a password, the current sign-in and the sessions keep working.',
      label: 'Send link',
      isDestructive: false,
      done: linkSentText(),
      run: () => mail({ userId: user.id }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Email password link
    </Button>
  );
}

function RemoveTotpButton({ user }: { readonly user: User }) {
  const { confirm } = useDialogs();
  const remove = useMethod(UserService.method.removeTotp);
  const ask = () =>
    confirm({
      title: `Remove authenticator app of ${isolateName(displayName(user))}?`,
      consequence:
        'The user will sign in with the password only. Do this if the user has lost the device. ' +
        'They can add a new app in “Your account”.',
      label: 'Remove',
      run: () => remove({ userId: user.id }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Remove authenticator app
    </Button>
  );
}

function DisableUserButton({ user, isSelf }: { readonly user: User; readonly isSelf: boolean }) {
  const { confirm } = useDialogs();
  const disable = useMethod(UserService.method.disableUser);
  const ask = () =>
    confirm({
      title: `Disable ${isolateName(displayName(user))}?`,
      consequence:
        'The user is signed out immediately and can’t sign in until you enable the user again.' +
        (isSelf ? ' This is your own account: you’ll be signed out.' : ''),
      label: 'Disable',
      run: () => disable({ userId: user.id }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Disable
    </Button>
  );
}

type DeleteUserButtonProps = { readonly user: User; readonly restore: () => Promise<unknown> };

function DeleteUserButton({ user, restore }: DeleteUserButtonProps) {
  const remove = useMethod(UserService.method.deleteUser);
  return (
    <DeleteButton
      noun="user"
      name={displayName(user)}
      effect="The user is signed out immediately and can’t sign in. What the user created stays."
      loss="After that, the name, the email address, the passkeys and the sessions are erased."
      remove={() => remove({ userId: user.id })}
      restore={restore}
    />
  );
}

function EnableUserButton({ user: { id } }: { readonly user: User }) {
  const enable = useMethod(UserService.method.enableUser);
  return <EnableButton enable={() => enable({ userId: id })} />;
}
