/** Actions on a user. The service checks whether they are permitted. */
import { Button } from '@mantine/core';
import {
  IconBan,
  IconDeviceMobileOff,
  IconLock,
  IconMailForward,
  IconTrash,
} from '@tabler/icons-react';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useSignInOptions } from '../session/provider-sign-in.tsx';
import { ActionButton } from '../shared/action-button.tsx';
import { useDelete } from '../shared/delete-button.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { displayName } from '../shared/display-name.ts';
import { isolateName } from '../shared/isolate-name.tsx';
import { ActionMenu, type RowMenuProps } from '../shared/lists/row-menu.tsx';
import { linkSentText } from '../shared/no-mail-note.tsx';
import { useMethod } from '../shared/use-method.ts';
import { ChangeUserScopesDialog, EditUserDialog, SetPasswordDialog } from './user-dialogs.tsx';

type UserActionsProps = { readonly user: User; readonly isSelf: boolean };

export function UserActions(props: UserActionsProps) {
  const { user } = props;
  const { id: userId, kind, deleteTime, disableTime } = user;
  const { open } = useDialogs();
  const enable = useMethod(UserService.method.enableUser);
  const undelete = useMethod(UserService.method.undeleteUser);
  const actions = useMenu(props);
  if (deleteTime !== undefined)
    return <ActionButton label="Restore" act={() => undelete({ userId })} />;
  // An action that appears later could receive the click for another one.
  if (actions === undefined) return null;
  return (
    <>
      <Button variant="default" onClick={() => open(<EditUserDialog user={user} />)}>
        Edit
      </Button>
      {kind === UserKind.STAFF ? (
        <Button variant="default" onClick={() => open(<ChangeUserScopesDialog user={user} />)}>
          Change scopes
        </Button>
      ) : null}
      {disableTime === undefined ? null : (
        <ActionButton label="Enable" act={() => enable({ userId })} />
      )}
      <ActionMenu name={displayName(user)} actions={actions} />
    </>
  );
}

/** The less frequent actions; undefined until it is known whether users have passwords. */
function useMenu({ user, isSelf }: UserActionsProps): RowMenuProps['actions'] | undefined {
  const { open, confirm } = useDialogs();
  const hasPasswords = useSignInOptions()?.passwords;
  const mail = useMethod(UserService.method.mailPasswordLink);
  const removeTotp = useMethod(UserService.method.removeTotp);
  const disable = useMethod(UserService.method.disableUser);
  const remove = useMethod(UserService.method.deleteUser);
  const undelete = useMethod(UserService.method.undeleteUser);
  const askToDelete = useDelete();
  const { id: userId, disableTime, totpEnabled } = user;
  const name = isolateName(displayName(user));
  const isEnabled = disableTime === undefined;
  const mayMailLink = hasPasswords === true && !isSelf && isEnabled;
  if (hasPasswords === undefined) return undefined;
  return [
    hasPasswords && {
      label: 'Set password',
      icon: IconLock,
      run: () => open(<SetPasswordDialog user={user} isSelf={isSelf} />),
    },
    mayMailLink && {
      label: 'Email password link',
      icon: IconMailForward,
      run: () =>
        confirm({
          title: `Email a password link to ${name}?`,
          consequence:
            'The link opens a page to choose a new password. It works once and expires after 7 ' +
            'days. Until the user chooses a password, the current sign-in and the sessions keep ' +
            'working.',
          label: 'Send link',
          isDestructive: false,
          done: linkSentText(),
          run: () => mail({ userId }),
        }),
    },
    totpEnabled && {
      label: 'Remove authenticator app',
      icon: IconDeviceMobileOff,
      run: () =>
        confirm({
          title: `Remove authenticator app of ${name}?`,
          consequence:
            'The user will sign in with the password only. Do this if the user has lost the ' +
            'device. They can add a new app in “Your account”.',
          label: 'Remove',
          run: () => removeTotp({ userId }),
        }),
    },
    isEnabled && {
      label: 'Disable',
      icon: IconBan,
      run: () =>
        confirm({
          title: `Disable ${name}?`,
          consequence:
            'The user is signed out immediately and can’t sign in until you enable the user ' +
            `again.${isSelf ? ' This is your own account: you’ll be signed out.' : ''}`,
          label: 'Disable',
          run: () => disable({ userId }),
        }),
    },
    !isSelf && {
      label: 'Delete',
      icon: IconTrash,
      run: () =>
        askToDelete({
          noun: 'user',
          name: displayName(user),
          effect:
            'The user is signed out immediately and can’t sign in. What the user created stays.',
          loss:
            'After that, the name, the email address, the passkeys and the sessions are ' +
            'erased.',
          remove: () => remove({ userId }),
          restore: () => undelete({ userId }),
        }),
    },
  ];
}
