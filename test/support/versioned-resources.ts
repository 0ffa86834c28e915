// The resources with an entity tag and an external id, and how each is created, read and changed.
import type { DescMessage, Message, MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { AudienceService } from '../../gen/latchkey/identity/v1/audience_pb.js';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { TrustedIssuerService } from '../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { messageOf } from './manager-calls.ts';
import type { Credential, Transport, TransportAnswer, UnaryMethod } from './transports.ts';

export type Resource = {
  readonly id: string;
  readonly name: string;
  readonly etag: string;
  readonly externalId: string;
  readonly createTime?: Timestamp;
  readonly updateTime?: Timestamp;
};

/** A resource with an entity tag. */
type TaggedKind = {
  readonly get: UnaryMethod;
  readonly update: UnaryMethod;
  /** The member of answers with the resource, and the field of requests with its id. */
  readonly member: string;
  readonly idField: string;
};

type Kind = TaggedKind & {
  readonly create: UnaryMethod;
  readonly list: UnaryMethod;
  readonly fields?: () => object;
};

const clients = ClientService.method;
const audiences = AudienceService.method;
const issuers = TrustedIssuerService.method;
const customers = CustomerService.method;
const workspaces = WorkspaceService.method;

let count = 0;
const next = () => `${process.pid}-${count++}`;

const versionedKinds = {
  client: {
    ...{ create: clients.createClient, get: clients.getClient, list: clients.listClients },
    ...{ update: clients.updateClient, member: 'client', idField: 'clientId' },
  },
  audience: {
    ...{ create: audiences.createAudience, get: audiences.getAudience },
    ...{ list: audiences.listAudiences, update: audiences.updateAudience },
    ...{ member: 'audience', idField: 'audienceId' },
    fields: () => ({ identifier: `urn:audience:${next()}` }),
  },
  trustedIssuer: {
    ...{ create: issuers.createTrustedIssuer, get: issuers.getTrustedIssuer },
    ...{ list: issuers.listTrustedIssuers, update: issuers.updateTrustedIssuer },
    ...{ member: 'trustedIssuer', idField: 'issuerId' },
    fields: () => ({ issuer: `https://issuer-${next()}.example`, enabled: false }),
  },
  customer: {
    ...{ create: customers.createCustomer, get: customers.getCustomer },
    ...{ list: customers.listCustomers, update: customers.updateCustomer },
    ...{ member: 'customer', idField: 'customerId' },
  },
  workspace: {
    ...{ create: workspaces.createWorkspace, get: workspaces.getWorkspace },
    ...{ list: workspaces.listWorkspaces, update: workspaces.updateWorkspace },
    ...{ member: 'workspace', idField: 'workspaceId' },
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof versionedKinds;

export const kindNames = Object.keys(versionedKinds) as KindName[];

export const resourceScopes = ['clients', 'audiences', 'trusted_issuers', 'customers', 'workspaces']
  .flatMap((area) => [`${area}:read`, `${area}:write`])
  .join(' ');

/** Calls the methods of a kind. The types of the kinds differ, but not those of the used fields. */
export function taggedCallsOf(transport: Transport, manager: Credential, kind: TaggedKind) {
  const send = (method: UnaryMethod, request: object, by = manager) =>
    transport.call(method, request as MessageInitShape<DescMessage>, by);
  const read = (message: Message) => (message as unknown as Record<string, Resource>)[kind.member];

  function resourceOf(answer: TransportAnswer<Message>): Resource {
    const resource = read(messageOf(answer));
    if (resource === undefined) throw new Error(`the answer contains no ${kind.member}`);
    return resource;
  }

  return {
    send,
    resourceOf,
    get: async (id: string) => resourceOf(await send(kind.get, { [kind.idField]: id })),
    update: (id: string, fields: object, by?: Credential) =>
      send(kind.update, { [kind.idField]: id, ...fields }, by),
  };
}

export function callsOf(transport: Transport, manager: Credential, name: KindName) {
  const kind: Kind = versionedKinds[name];
  const { send, ...calls } = taggedCallsOf(transport, manager, kind);
  return {
    ...calls,
    create: (fields: object = {}) =>
      send(kind.create, { name: 'First', ...kind.fields?.(), ...fields }),
    async list(fields: object) {
      const { name: _, ...message } = messageOf(await send(kind.list, fields)) as unknown as Record<
        string,
        Resource[]
      >;
      return message[`${kind.member}s`] ?? [];
    },
  };
}

export const millis = (time: Timestamp | undefined) => (time === undefined ? 0 : timestampMs(time));
