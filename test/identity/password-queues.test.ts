// A few passwords are hashed at a time: the order of the queues.
import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createPasswords,
  type PasswordQueue,
  type Passwords,
  passwordChangeQueue,
} from '../../src/credentials/passwords.ts';
import { Failure } from '../../src/errors/errors.ts';

let stored = '';
beforeAll(async () => {
  stored = await hash('the right one');
});

const link = (workspace: string, id: string) =>
  ({ kind: 'links', owner: [workspace, id] }) as const;

const signIn = (network: string, email: string) =>
  ({ kind: 'users', owner: [network, email] }) as const;

/** Records the order in which passwords were hashed; a rejected one by its code. */
function noting(passwords: Passwords) {
  const order: string[] = [];
  const refused: string[] = [];
  const note = (name: string, computed: Promise<unknown>) =>
    computed.then(
      () => void order.push(name),
      (error: unknown) => void refused.push(error instanceof Failure ? error.code : 'unknown'),
    );
  const verify = (name: string, queue?: PasswordQueue) =>
    note(name, passwords.verify(stored, 'wrong', queue));
  const change = (name: string, queue: PasswordQueue) => note(name, passwords.hash('new', queue));
  return { order, refused, verify, change };
}

describe('the password of a user', () => {
  it('is hashed before earlier passwords of links', async () => {
    const { order, verify } = noting(createPasswords());
    const links = Array.from({ length: 90 }, (_, i) => verify('link', link(`ws_${i % 9}`, 'lnk')));
    const users = Array.from({ length: 3 }, () => verify('user'));
    await Promise.all([...links, ...users]);
    // Passwords of links are hashed at the same time: how many depends on the machine.
    expect(order.lastIndexOf('user')).toBeLessThan(45);
  });

  it('does not block the passwords of links', async () => {
    const { order, verify } = noting(createPasswords());
    const users = Array.from({ length: 60 }, () => verify('user'));
    await Promise.all([...users, verify('link', link('ws_1', 'lnk_1'))]);
    expect(order.indexOf('link')).toBeLessThan(30);
  });

  it('is not rejected while hundreds of passwords of links wait', async () => {
    const { order, verify } = noting(createPasswords());
    const links = Array.from({ length: 400 }, (_, i) => verify('link', link(`ws_${i}`, 'lnk')));
    await Promise.all([verify('user'), ...links]);
    expect(order).toContain('user');
  });
});

describe('the password of a link', () => {
  it('waits for its turn among workspaces, not for all earlier ones', async () => {
    const { order, refused, verify } = noting(createPasswords());
    const many = Array.from({ length: 200 }, () => verify('many', link('ws_1', 'lnk_1')));
    const few = [verify('few', link('ws_2', 'lnk_2')), verify('few', link('ws_2', 'lnk_3'))];
    await Promise.all([...many, ...few]);
    expect(order.lastIndexOf('few')).toBeLessThan(8);
    expect(new Set(refused)).toEqual(new Set(['rate_limited']));
  });

  it('waits for its turn among the links of its workspace', async () => {
    const { order, verify } = noting(createPasswords());
    const many = Array.from({ length: 200 }, () => verify('many', link('ws_1', 'lnk_1')));
    await Promise.all([...many, verify('other', link('ws_1', 'lnk_2'))]);
    expect(order.indexOf('other')).toBeLessThan(6);
  });
});

describe('a new password', () => {
  it('is one of at most two for its caller; more are rejected', async () => {
    const { order, refused, change } = noting(createPasswords());
    const many = Array.from({ length: 130 }, () => change('one', passwordChangeQueue('usr_1')));
    await Promise.all([...many, change('other', passwordChangeQueue('usr_2'))]);
    expect(order.sort()).toEqual(['one', 'one', 'other']);
    expect(refused).toEqual(Array(128).fill('rate_limited'));
  });

  it('is possible again once those before it are done', async () => {
    const passwords = createPasswords();
    for (let i = 0; i < 3; i++) await passwords.hash('new', passwordChangeQueue('usr_1'));
  });

  it('neither delays sign-ins until all others are done nor causes their rejection', async () => {
    const { order, refused, verify, change } = noting(createPasswords());
    const changes = Array.from({ length: 60 }, (_, i) =>
      change('new', passwordChangeQueue(`usr_${i}`)),
    );
    const signIns = Array.from({ length: 3 }, () => verify('user', signIn('192.0.2.1', 'a')));
    await Promise.all([...changes, ...signIns]);
    // Two threads hash side by side, and the machine may delay one of them.
    expect(order.lastIndexOf('user')).toBeLessThan(45);
    expect(refused.filter((code) => code !== 'rate_limited')).toEqual([]);
  });

  it('alternates with the passwords of links', async () => {
    const { order, verify, change } = noting(createPasswords());
    const links = Array.from({ length: 40 }, (_, i) => verify('link', link(`ws_${i}`, 'lnk')));
    const signIns = Array.from({ length: 40 }, (_, i) => verify('user', signIn(`${i}`, 'a')));
    await Promise.all([...links, ...signIns, change('new', passwordChangeQueue('usr_1'))]);
    // Sign-ins are hashed on the other thread.
    expect(order.filter((name) => name !== 'user').indexOf('new')).toBeLessThan(4);
  });
});

describe('the password of a sign-in', () => {
  it('waits for its turn among networks, and within one among addresses', async () => {
    const { order, refused, verify } = noting(createPasswords());
    const flood = Array.from({ length: 200 }, (_, i) =>
      verify('flood', signIn('192.0.2.1', `a${i}@example.com`)),
    );
    const other = verify('other', signIn('192.0.2.2', 'b@example.com'));
    await Promise.all([...flood, other]);
    // Of about a hundred that are not refused.
    expect(order.indexOf('other')).toBeLessThan(50);
    expect(new Set(refused)).toEqual(new Set(['unavailable']));
  });
});
