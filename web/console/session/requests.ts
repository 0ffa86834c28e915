/** Requests to the HTTP face with the user's token, for the bytes of files. */
import { ConnectError } from '@connectrpc/connect';
import { refusalOf } from './refusal.ts';
import type { Session } from './session.ts';

/** Fetches from the HTTP face. Throws what it says against it, or that it could not be reached. */
export function fetchWithToken(
  session: Session,
  address: string,
  { headers = {}, ...init }: RequestInit & { readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  return session.send(async (token) => {
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
