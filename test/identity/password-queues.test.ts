// Passwords are computed a few at a time: who waits for whom.
import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';
import { createPasswords, type Passwords } from '../../src/identity/users/passwords.ts';
import { Failure } from '../../src/rpc/errors.ts';

let stored = '';
beforeAll(async () => {
  stored = await hash('the right one');
});

const link = (workspace: string, id: string) =>
  ({ kind: 'links', owner: [workspace, id] }) as const;

/** Notes the order in which passwords were computed; what is refused is noted by its code. */
function noting(passwords: Passwords) {
  const order: string[] = [];
  const refused: string[] = [];
  const verify = (name: string, queue?: ReturnType<typeof link>) =>
    passwords.verify(stored, 'wrong', queue).then(
      () => void order.push(name),
      (error: unknown) => void refused.push(error instanceof Failure ? error.code : 'unknown'),
    );
  return { order, refused, verify };
}

describe('the password of a user', () => {
  it('is computed before those of links that came earlier', async () => {
    const { order, verify } = noting(createPasswords());
    const links = Array.from({ length: 90 }, (_, i) => verify('link', link(`ws_${i % 9}`, 'lnk')));
    const users = Array.from({ length: 3 }, () => verify('user'));
    await Promise.all([...links, ...users]);
    // Each user's password has a turn of its own, beside which one link's is computed.
    expect(order.lastIndexOf('user')).toBeLessThan(12);
  });

  it('does not keep those of links from being computed', async () => {
    const { order, verify } = noting(createPasswords());
    const users = Array.from({ length: 60 }, () => verify('user'));
    await Promise.all([...users, verify('link', link('ws_1', 'lnk_1'))]);
    expect(order.indexOf('link')).toBeLessThan(12);
  });

  it('is not refused where hundreds of passwords of links wait', async () => {
    const { order, verify } = noting(createPasswords());
    const links = Array.from({ length: 400 }, (_, i) => verify('link', link(`ws_${i}`, 'lnk')));
    await Promise.all([verify('user'), ...links]);
    expect(order).toContain('user');
  });
});

describe('the password of a link', () => {
  it('waits for its turn among workspaces, not for all that came earlier', async () => {
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
