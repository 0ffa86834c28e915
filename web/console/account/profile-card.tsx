import { useHasScope, useUser } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { FactList } from '../shared/facts.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { AccountCard } from './account-card.tsx';

const kinds: Record<string, string> = {
  staff: 'Staff of the platform',
  member: 'Member of workspaces',
};

export function ProfileCard() {
  const { id, name, email, kind } = useUser();
  const mayChange = useHasScope()('users:write');
  return (
    <AccountCard
      title="Profile"
      about={
        mayChange ? (
          <>
            You can change your name and your address{' '}
            <TextLink to="/users/$userId" params={{ userId: id }}>
              among the users
            </TextLink>
            .
          </>
        ) : (
          'The platform’s staff can change your name and your address.'
        )
      }
    >
      <FactList
        facts={[
          { name: 'Name', value: name === '' ? 'not given' : name },
          { name: 'E-mail address', value: email },
          { name: 'Kind', value: kinds[kind] ?? kind },
          { name: 'User id', value: <CopyableText text={id} label="your id" /> },
        ]}
      />
    </AccountCard>
  );
}
