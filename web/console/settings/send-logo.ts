import { Code, ConnectError } from '@connectrpc/connect';
import { parseProblem } from '../session/problem-error.ts';
import type { Session } from '../session/session.ts';

/** Uploads the logo of a workspace. Throws the error of the service. */
export async function sendLogo(session: Session, workspaceId: string, file: File): Promise<void> {
  const body = new FormData();
  body.append('file', file, file.name);
  await session.send(async (token) => {
    const response = await fetch(`/workspaces/${encodeURIComponent(workspaceId)}/logo`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body,
    }).catch(() => {
      throw new ConnectError('The connection was lost.', Code.Unavailable);
    });
    if (response.ok) return;
    throw parseProblem(response.status, await response.text(), response.headers.get('retry-after'));
  });
}
