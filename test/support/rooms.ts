// A room with a few documents, and its readers.
import type { Suite } from './app-suite.ts';
import { addDocument, makeFolder, makeRoom, type RoomLink } from './folder-calls.ts';
import { Visitor } from './gate-visitor.ts';
import { callSharingApi, type DocumentFields } from './sharing-api.ts';

export const report = {
  method: 'POST',
  body: new URLSearchParams({ visit: 'a'.repeat(16), pages: '0:0' }),
};

export const byteRoutes = ['/file', '/versions/1/file', '/download'];

/** The statuses of the page, the bytes, a range and a report of a document of a room. */
export async function statusesOf(visitor: Visitor, { id }: Pick<DocumentFields, 'id'>) {
  const answers = await Promise.all([
    visitor.get(`/documents/${id}`),
    ...byteRoutes.map((route) => visitor.get(`/documents/${id}${route}`)),
    visitor.get(`/documents/${id}/file`, { headers: { range: 'bytes=0-3' } }),
    visitor.get(`/documents/${id}/view`, report),
  ]);
  return answers.map(({ status }) => status);
}

export const open = [200, 200, 200, 200, 206, 204];
export const closed = [404, 404, 404, 404, 404, 404];

export async function entered(link: RoomLink, email = 'reader@example.com'): Promise<Visitor> {
  const visitor = new Visitor(link);
  await visitor.get();
  if (link.email_required) await visitor.post({ email });
  return visitor;
}

export function roomsIn(suite: Suite) {
  const test = () => suite.testApp;
  let rooms = 0;
  return {
    test,
    call: <T>(method: string, route: string, body?: unknown) =>
      callSharingApi<T>(test(), method, route, body),

    /** A folder within another one, with a document in each, and another folder. */
    async filled(options: Record<string, unknown> = {}) {
      const number = ++rooms;
      const root = await makeFolder(test(), `Room ${number}`);
      const sub = await makeFolder(test(), 'Contracts', root.id);
      const outside = await makeFolder(test(), `Outside ${number}`);
      const plan = await addDocument(test(), root.id, 'Plan.txt');
      const terms = await addDocument(test(), sub.id, 'Terms.txt');
      const secret = await addDocument(test(), outside.id, 'Secret.txt');
      const link = await makeRoom(test(), root.id, { allow_download: true, ...options });
      return { root, sub, outside, plan, terms, secret, link };
    },
  };
}
