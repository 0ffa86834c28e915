import { useHasScope, useUser } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { FactList } from '../shared/facts.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { AccountCard } from './account-card.tsx';

const kinds: Record<string, string> = {
  staff: 'Staff',
  member: 'Member',
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
            You can change your name and email address in{' '}
            <TextLink to="/users/$userId" params={{ userId: id }}>
              Users
            </TextLink>
            .
          </>
        ) : (
          'Ask an administrator to change your name or email address.'
        )
      }
    >
      <FactList
        facts={[
          { name: 'Name', value: name === '' ? '—' : name },
          { name: 'Email address', value: email },
          { name: 'Type', value: kinds[kind] ?? kind },
          { name: 'User ID', value: <CopyableText text={id} label="your ID" /> },
        ]}
      />
    </AccountCard>
  );
}
