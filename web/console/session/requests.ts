/** Requests with the user's token; to the HTTP face, too, for the bytes of files. */
import { ConnectError } from '@connectrpc/connect';
import { reasonOf } from './reason.ts';
import { refusalOf } from './refusal.ts';
import type { Session } from './session.ts';

/** Sends with a token. One that is good no more, as after a sign-in elsewhere, is renewed once. */
export async function withToken<T>(
  session: Session,
  send: (token: string) => Promise<T>,
): Promise<T> {
  try {
    return await send(await session.token());
  } catch (error) {
    if (reasonOf(error) !== 'unauthenticated' || session.state.status !== 'in') throw error;
    await session.renew();
    return send(await session.token());
  }
}

/** Fetches from the HTTP face. Throws what it says against it, or that it could not be reached. */
export function fetchWithToken(
  session: Session,
  address: string,
  { headers = {}, ...init }: RequestInit & { readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  return withToken(session, async (token) => {
    const authorization = `Bearer ${token}`;
    const response = await fetch(address, {
      ...init,
      headers: { ...headers, authorization },
    }).catch((cause) => {
      throw ConnectError.from(cause);
    });
    if (response.ok) return response;
    throw refusalOf(response.status, await response.text());
  });
}
