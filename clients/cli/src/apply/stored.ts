// Reads the resources of the server, in the form of files.
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { methodOf } from '../remote/methods.ts';
import { readPages } from '../remote/pages.ts';
import type { Remote } from '../remote/remote.ts';
import { requestMessage } from '../remote/request.ts';
import { jsonOf } from '../remote/response.ts';
import type { Kind, KindName } from './kinds.ts';

export type Stored = { readonly id: string; readonly etag: string; readonly json: JsonObject };

export type StoredKinds = Readonly<Record<KindName, ReadonlyMap<string, Stored>>>;

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Calls a method of the service of a kind, with the JSON of the HTTP API. */
export async function callKind(
  remote: Remote,
  { service }: Pick<Kind, 'service'>,
  verb: string,
  request: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonObject> {
  const method = methodOf({ method: `${service}.${verb}` });
  const message = await remote.call(method, requestMessage(method.input, request), headers);
  return jsonOf(method.output, message);
}

export const verbOf = (verb: 'create' | 'update' | 'delete' | 'disable' | 'enable', kind: Kind) =>
  verb + pascal(kind.service);

/** The member of answers with the resource. */
export const memberOf = ({ service }: Kind) =>
  service.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** All resources of a kind, with and without an external id, and the deleted ones. */
export async function listKind(remote: Remote, kind: Kind): Promise<Stored[]> {
  const verb = `list${pascal(kind.service)}s`;
  const { fields } = methodOf({ method: `${kind.service}.${verb}` }).input;
  const canShow = fields.some(({ name }) => name === 'show_deleted');
  const request = canShow ? { show_deleted: true } : {};
  const rows = await listAll(remote, kind, verb, request, kind.name);
  return rows.map(storedOf);
}

export const storedOf = (json: JsonObject): Stored => ({
  ...{ id: String(json.id), etag: String(json.etag), json },
});

/** Until this time, a deleted resource can be undeleted. */
export const isDeleted = ({ json }: Stored) => json.delete_time !== undefined;

/** The identities in files, without the names of their issuers. */
export async function listIdentities(remote: Remote, clientId: string): Promise<JsonObject[]> {
  const verb = 'listFederatedIdentities';
  const request = { client_id: clientId };
  return listAll(remote, { service: 'client' }, verb, request, 'federated_identities');
}

export async function listAll(
  remote: Remote,
  kind: Pick<Kind, 'service'>,
  verb: string,
  request: JsonObject,
  member: string,
): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  const read = (token: string) =>
    callKind(remote, kind, verb, { ...request, page_size: 200, page_token: token });
  const nextOf = (page: JsonObject) => String(page.next_page_token ?? '');
  for await (const page of readPages(remote, read, nextOf)) {
    rows.push(...(page[member] as JsonObject[]));
  }
  return rows;
}

/** The resources with an external id, by it. */
export const byExternalId = (rows: readonly Stored[]): ReadonlyMap<string, Stored> =>
  new Map(
    rows.flatMap((row) => (row.json.external_id ? [[String(row.json.external_id), row]] : [])),
  );

/** The value of a field of a stored resource, as the API has it. */
export function storedValue(field: string, { json }: Stored): JsonValue | undefined {
  // The API has the time since which a resource is disabled.
  return field === 'disabled' ? json.disable_time !== undefined : json[field];
}
