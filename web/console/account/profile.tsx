import { Copyable } from '../parts/copyable.tsx';
import { FactList } from '../parts/facts.tsx';
import { TextLink } from '../parts/link.tsx';
import { useHasScope, useUser } from '../session/context.tsx';
import { Card } from './card.tsx';

const kinds: Record<string, string> = {
  staff: 'Staff of the platform',
  member: 'Member of workspaces',
};

export function Profile() {
  const { id, name, email, kind } = useUser();
  const mayChange = useHasScope()('users:write');
  return (
    <Card
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
          { name: 'User id', value: <Copyable text={id} label="your id" /> },
        ]}
      />
    </Card>
  );
}
