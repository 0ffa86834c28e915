// Shared by the suites of the sharing module.
import { createHash } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'vitest';
import type { TestApp } from './harness.ts';
import { callJson, type JsonAnswer } from './json-calls.ts';
import { multipartBody } from './raw-http.ts';
import { signToken } from './signed-tokens.ts';

export type DocumentFields = {
  id: string;
  name: string;
  content_type: string;
  size_bytes: number;
  sha256: string;
  page_count: number;
  workspace_id: string;
  create_time: string;
  viewable: boolean;
  version: number;
};

export type LinkFields = {
  id: string;
  url: string;
  document_id: string;
  email_required: boolean;
  password_required: boolean;
  email_verification_required: boolean;
  view_count: number;
  expire_time?: string;
  revoke_time?: string;
  view_limit?: number;
};

export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

/** The credential of the demo workspace. */
export const keyOf = ({ env }: TestApp) => bearer(env.API_KEY);

export const blobDirOf = ({ dataDir }: TestApp) => path.join(dataDir, 'blobs');

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A token of a service client, which belongs to no workspace. */
export async function serviceCredential({ app }: TestApp, scope: string) {
  return bearer(await signToken(app, { type: 'service', scope }));
}

/** Creates another, empty workspace. */
export async function otherWorkspace({ app }: TestApp, id = 'ws_other'): Promise<string> {
  const row = { id, name: 'Other', create_time: 1 };
  await app.inside.db.insertInto('workspaces').values(row).execute();
  return id;
}

/** Sends a request to the JSON API of the sharing module, by default as the demo workspace. */
export function callSharingApi<T = Record<string, unknown>>(
  test: TestApp,
  method: string,
  route: string,
  body?: unknown,
  headers: Record<string, string> = keyOf(test),
): Promise<JsonAnswer<T>> {
  return callJson<T>(test.app, method, `/api/v1${route}`, body, headers);
}

/** Uploads a file to the demo workspace. */
export function upload(
  test: TestApp,
  bytes: Uint8Array,
  filename = 'file.bin',
): Promise<DocumentFields> {
  return postFile(test, '/documents', bytes, filename);
}

/** Uploads a version of a document of the demo workspace. */
export function uploadVersion(
  test: TestApp,
  documentId: string,
  bytes: Uint8Array,
  filename = 'file.bin',
): Promise<DocumentFields> {
  return postFile(test, `/documents/${documentId}/versions`, bytes, filename);
}

async function postFile(test: TestApp, route: string, bytes: Uint8Array, filename: string) {
  const form = multipartBody([{ name: 'file', filename, body: bytes }], 'frontier');
  const response = await fetch(`${test.app.publicUrl}/api/v1${route}`, {
    method: 'POST',
    headers: { ...keyOf(test), 'content-type': 'multipart/form-data; boundary=frontier' },
    body: new Uint8Array(form),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as DocumentFields;
}

/** Creates a link in the demo workspace. */
export async function makeLink(
  test: TestApp,
  documentId: string,
  options: Record<string, unknown> = {},
): Promise<LinkFields> {
  const body = { document_id: documentId, ...options };
  const answer = await callSharingApi<LinkFields>(test, 'POST', '/links', body);
  expect(answer.status).toBe(201);
  return answer.body;
}

/** All files under a folder, as paths relative to it, except the marker of a blob store. */
export async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => file !== 'marker')
    .sort();
}

/** The files under a folder that this process, and so the app in it, has open. */
export async function openFilesUnder(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    descriptors.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(`${folder}${path.sep}`));
}

/** All traces of documents: rows, files, and open files. */
export async function storedState(test: TestApp) {
  const rows = await test.app.inside.db.selectFrom('documents').select('blob_id').execute();
  return {
    rows: rows.length,
    files: await filesUnder(blobDirOf(test)),
    open: await openFilesUnder(blobDirOf(test)),
  };
}

/** Waits until refused and aborted uploads have left nothing behind. */
export async function expectNothingStored(test: TestApp): Promise<void> {
  await expect.poll(() => storedState(test)).toEqual({ rows: 0, files: [], open: [] });
  const pending = () => test.app.inside.db.selectFrom('pending_blobs').selectAll().execute();
  await expect.poll(pending).toEqual([]);
}

/** A PNG with a single colour. */
export function makePng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // 8 bits each of red, green and blue
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(3 * width, 0x80)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The beginning of a ZIP file: one stored entry. */
export function makeZip(name = 'a', content = ''): Buffer {
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt32LE(crc32(Buffer.from(content)), 14);
  local.writeUInt32LE(content.length, 18);
  local.writeUInt32LE(content.length, 22);
  local.writeUInt16LE(name.length, 26);
  return Buffer.concat([local, Buffer.from(name + content)]);
}
