// Two passwords are hashed at a time: the order of the queues. The test decides when each hash
// ends.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/base/errors/errors.ts';
import {
  createPasswords,
  type PasswordHasher,
  type PasswordQueue,
  passwordChangeQueue,
} from '../../../src/credentials/passwords.ts';

const link = (workspace: string, id = 'lnk') =>
  ({ kind: 'links', owner: [workspace, id] }) as const;

const signIn = (network: string, email = 'a') =>
  ({ kind: 'users', owner: [network, email] }) as const;

const known = (email: string) => ({ kind: 'known', owner: ['192.0.2.9', email] }) as const;

/** Passwords with a hash function that ends only on demand. A password's text is its name. */
function steppedPasswords() {
  const running: { readonly name: string; readonly end: () => void }[] = [];
  const started: string[] = [];
  const refused: string[] = [];
  const run = (name: string) => {
    started.push(name);
    return new Promise<void>((end) => running.push({ name, end }));
  };
  const hasher: PasswordHasher = {
    async hash(password) {
      // The empty password is the decoy.
      if (password !== '') await run(password);
      return 'hash';
    },
    async verify(_stored, password) {
      await run(password);
      return false;
    },
  };
  const passwords = createPasswords(hasher);
  const note = (computed: Promise<unknown>) =>
    void computed.catch((error: unknown) => {
      refused.push(error instanceof Failure ? error.code : 'unknown');
    });
  return {
    started,
    refused,
    verify: (name: string, queue?: PasswordQueue) => note(passwords.verify('x', name, queue)),
    change: (name: string, queue: PasswordQueue) => note(passwords.hash(name, queue)),
    running: async () => {
      await setImmediate();
      return running.map(({ name }) => name);
    },
    /** Ends the oldest running hash of a name, and lets the next one start. */
    async end(...names: string[]) {
      for (const name of names) {
        await setImmediate();
        const at = running.findIndex((one) => one.name === name);
        const [found] = running.splice(at, at === -1 ? 0 : 1);
        if (found === undefined) throw new Error(`no hash of ${name} is running`);
        found.end();
      }
      await setImmediate();
    },
  };
}

function repeat(count: number, work: (i: number) => void): void {
  for (let i = 0; i < count; i++) work(i);
}

describe('the password of a user', () => {
  it('is hashed before earlier passwords of links', async () => {
    const { started, verify, end, running } = steppedPasswords();
    repeat(90, (i) => verify('link', link(`ws_${i % 9}`)));
    repeat(3, () => verify('user'));
    await end('user', 'user', 'user');
    expect(started).toEqual(['link', 'user', 'user', 'user']);
    // Links never use both places.
    await end('link');
    expect(await running()).toEqual(['link']);
  });

  it('does not block the passwords of links', async () => {
    const { started, verify, end } = steppedPasswords();
    repeat(60, () => verify('user'));
    verify('link', link('ws_1'));
    await end('user');
    expect(started).toEqual(['user', 'user', 'link']);
  });

  it('is not rejected while hundreds of passwords of links wait', async () => {
    const { started, refused, verify, running } = steppedPasswords();
    repeat(400, (i) => verify('link', link(`ws_${i}`)));
    verify('user');
    expect(await running()).toEqual(['link', 'user']);
    expect(started).toEqual(['link', 'user']);
    expect(refused).toEqual(Array(299).fill('rate_limited'));
  });
});

describe('the password of a link', () => {
  it('waits for its turn among workspaces, not for all earlier ones', async () => {
    const { started, refused, verify, end } = steppedPasswords();
    repeat(200, () => verify('many', link('ws_1', 'lnk_1')));
    verify('few', link('ws_2', 'lnk_2'));
    verify('other', link('ws_2', 'lnk_3'));
    await end('many', 'many', 'few', 'many', 'other');
    expect(started).toEqual(['many', 'many', 'few', 'many', 'other', 'many']);
    // Of `many`, one was running and 34 were waiting.
    expect(refused).toEqual(Array(165).fill('rate_limited'));
  });

  it('waits for its turn among the links of its workspace', async () => {
    const { started, verify, end } = steppedPasswords();
    repeat(200, () => verify('many', link('ws_1', 'lnk_1')));
    verify('other', link('ws_1', 'lnk_2'));
    await end('many', 'many', 'other');
    expect(started).toEqual(['many', 'many', 'other', 'many']);
  });
});

describe('a new password', () => {
  it('is one of at most two for its caller; more are rejected', async () => {
    const { started, refused, change, end } = steppedPasswords();
    repeat(130, () => change('one', passwordChangeQueue('usr_1')));
    change('other', passwordChangeQueue('usr_2'));
    await end('one', 'one', 'other');
    expect(started).toEqual(['one', 'one', 'other']);
    expect(refused).toEqual(Array(128).fill('rate_limited'));
  });

  it('is possible again once those before it are done', async () => {
    const { started, refused, change, end } = steppedPasswords();
    for (let i = 0; i < 3; i++) {
      change('new', passwordChangeQueue('usr_1'));
      await end('new');
    }
    expect(started).toEqual(['new', 'new', 'new']);
    expect(refused).toEqual([]);
  });

  it('neither delays sign-ins until all others are done nor causes their rejection', async () => {
    const { started, refused, verify, change, end } = steppedPasswords();
    repeat(60, (i) => change('new', passwordChangeQueue(`usr_${i}`)));
    repeat(3, () => verify('user', signIn('192.0.2.1')));
    await end('user', 'user', 'user');
    expect(started).toEqual(['new', 'user', 'user', 'user']);
    expect(refused).toEqual([]);
  });

  it('alternates with the passwords of links', async () => {
    const { started, verify, change, end } = steppedPasswords();
    repeat(40, (i) => verify('link', link(`ws_${i}`)));
    repeat(40, (i) => verify('user', signIn(`${i}`)));
    repeat(2, (i) => change('new', passwordChangeQueue(`usr_${i}`)));
    await end('link', 'new', 'link', 'new', 'link');
    expect(started).toEqual(['link', 'user', 'new', 'link', 'new', 'link', 'link']);
  });
});

describe('the password of a sign-in', () => {
  it('waits for its turn among networks, and within one among addresses', async () => {
    const { started, refused, verify, end } = steppedPasswords();
    repeat(200, (i) => verify('flood', signIn('192.0.2.1', `a${i}@example.com`)));
    verify('other', signIn('192.0.2.2', 'b@example.com'));
    await end('flood', 'flood');
    expect(started).toEqual(['flood', 'flood', 'flood', 'other']);
    // Of `flood`, two were running and 50 were waiting.
    expect(refused).toEqual(Array(148).fill('unavailable'));
  });

  it('takes the next free place in a known browser, and strangers wait', async () => {
    const { started, refused, verify, change, end } = steppedPasswords();
    repeat(300, (i) => verify('stranger', signIn(`2001:db8:${i}::`)));
    change('new', passwordChangeQueue('usr_1'));
    verify('link', link('ws_1'));
    verify('known', known('a@example.com'));
    await end('stranger');
    expect(started).toEqual(['stranger', 'stranger', 'known']);
    expect(refused).toEqual(Array(198).fill('unavailable'));
  });

  it('is hashed one after the other for a user of a known browser, before strangers', async () => {
    const { started, refused, verify, end } = steppedPasswords();
    repeat(3, () => verify('known', known('a@example.com')));
    repeat(300, (i) => verify('stranger', signIn(`2001:db8:${i}::`)));
    await end('known', 'stranger', 'known', 'stranger', 'known');
    const turns = ['known', 'stranger', 'stranger', 'known', 'stranger', 'known', 'stranger'];
    expect(started).toEqual(turns);
    expect(refused).toEqual(Array(199).fill('unavailable'));
  });
});
