// Uses the secrets of a user's session in every possible way.
import { randomBytes } from 'node:crypto';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import type { Suite } from './app-suite.ts';
import { CookieClient } from './cookie-client.ts';
import type { TransportName } from './matrix.ts';
import { addTotp, addUser } from './user-rows.ts';

/** Signs in with correct and wrong credentials, and signs out; returns the error codes. */
export async function useSessionSecrets(
  suite: Suite,
  transport: TransportName,
  keep: (secret: string) => string,
): Promise<string[]> {
  const { signOut, listSessions } = SessionService.method;
  const random = () => keep(randomBytes(8).toString('hex'));
  const password = keep(`correct horse ${random()}`);
  const { id, email } = await addUser(suite.app.inside.db, { password });
  const code = await addTotp(suite.testApp, id);
  const browser = new CookieClient(suite.transport(transport));
  const wrong = [
    await browser.signIn({ email, password: random() }),
    await browser.signIn({ email, password, otp: random() }),
  ];
  const { accessToken } = await browser.signedIn({ email, password, otp: code(Date.now()) });
  const refreshed = await browser.refresh();
  if (!refreshed.ok) throw new Error(`the refresh failed: ${refreshed.error.code}`);
  for (const token of [accessToken, refreshed.message.accessToken]) keep(token);
  for (const cookie of ['latchkey_session', 'latchkey_device']) {
    const value = keep(browser.cookie(cookie) ?? '');
    keep(value.slice(value.lastIndexOf('.') + 1));
  }
  await browser.call(signOut, {});
  const ended = await browser.call(listSessions, {}, { authorization: `Bearer ${accessToken}` });
  return [...wrong, ended].flatMap((answer) => (answer.ok ? [] : [answer.error.code]));
}
