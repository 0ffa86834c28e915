import { TextLink } from '../parts/link.tsx';
import { useHasScope, useUser } from '../session/context.tsx';
import classes from './profile.module.css';
import { Section } from './section.tsx';

const kinds: Record<string, string> = {
  staff: 'Staff of the platform',
  member: 'Member of workspaces',
};

export function Profile() {
  const { id, name, email, kind } = useUser();
  const mayChange = useHasScope()('users:write');
  return (
    <Section
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
      <dl className={classes.facts}>
        <dt>Name</dt>
        <dd>{name === '' ? 'not given' : name}</dd>
        <dt>E-mail address</dt>
        <dd>{email}</dd>
        <dt>Kind</dt>
        <dd>{kinds[kind] ?? kind}</dd>
        <dt>Id</dt>
        <dd className="mono">{id}</dd>
      </dl>
    </Section>
  );
}
