// Folders and the documents in them, and the links that share a folder.
import { expect } from 'vitest';
import type { TestApp } from './harness.ts';
import type { JsonAnswer } from './json-calls.ts';
import { multipartBody } from './raw-http.ts';
import { callSharingApi, type DocumentFields, keyOf, type LinkFields } from './sharing-api.ts';

export type FolderFields = {
  id: string;
  name: string;
  parent_id: string;
  link_count: number;
  ancestors: { id: string; name: string }[];
};

export type RoomLink = LinkFields & {
  folder_id: string;
  folder_name: string;
  entry_rules: Record<string, unknown>[];
};

const createFolder = (test: TestApp, name: string, parent = '') =>
  callSharingApi<FolderFields>(test, 'POST', '/folders', { name, parent_id: parent });

export async function makeFolder(test: TestApp, name: string, parent = ''): Promise<FolderFields> {
  const answer = await createFolder(test, name, parent);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

/** Uploads a document into a folder. */
export async function uploadInto(
  test: TestApp,
  folderId: string,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): Promise<JsonAnswer<DocumentFields & { folder_id: string }>> {
  const parts = [
    { name: 'folder_id', body: folderId },
    { name: 'file', filename: name, body: bytes },
  ];
  const response = await fetch(`${test.app.publicUrl}/api/v1/documents`, {
    method: 'POST',
    headers: { ...keyOf(test), 'content-type': 'multipart/form-data; boundary=frontier' },
    body: new Uint8Array(multipartBody(parts, 'frontier')),
  });
  const body = (await response.json()) as DocumentFields & { folder_id: string };
  return { status: response.status, headers: response.headers, body };
}

export async function addDocument(test: TestApp, folderId: string, name: string, content = name) {
  const answer = await uploadInto(test, folderId, { name, bytes: Buffer.from(content) });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

/** Creates a link to a folder. */
export async function makeRoom(
  test: TestApp,
  folderId: string,
  options: Record<string, unknown> = {},
): Promise<RoomLink> {
  const body = { folder_id: folderId, ...options };
  const answer = await callSharingApi<RoomLink>(test, 'POST', '/links', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}
