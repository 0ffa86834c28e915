// The identity of a request: equal for two requests that ask for the same. The identity of an
// upload does not depend on how its file was divided into messages.
import { createHash } from 'node:crypto';
import { type DescMethod, type Message, ScalarType, toBinary } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf } from '../principal.ts';
import { resolveWorkspace, workspaceIfAny } from '../workspace.ts';
import type { KeyedRequest } from './claim.ts';

export function unaryRequest(context: HandlerContext, request: Message): Promise<KeyedRequest> {
  const { descriptor } = callerOf(context).method;
  const digest = createHash('sha256').update(toBinary(descriptor.input, request)).digest('hex');
  return keyedRequest(context, workspaceIfAny(context), digest);
}

async function keyedRequest(
  context: HandlerContext,
  workspaceId: string,
  digest: string,
): Promise<KeyedRequest> {
  const { method, principal, membershipsOf } = callerOf(context);
  const identity = JSON.stringify([method.name, workspaceId, digest]);
  if (principal.type === 'anonymous') return { identity, scopes: [] };
  if (principal.type !== 'member') return { identity, scopes: [...principal.scopes] };
  const granted = (await membershipsOf(principal.userId)).get(workspaceId);
  const scopes = [...principal.scopes].filter((scope) => granted?.scopes.has(scope));
  return { identity, scopes };
}

export class UploadIdentity {
  readonly #method: DescMethod;
  readonly #content = createHash('sha256');
  readonly #fields = new Map<string, string>();
  #request: KeyedRequest | undefined;
  #workspaceId = '';

  constructor(method: DescMethod) {
    this.#method = method;
  }

  get request(): KeyedRequest | undefined {
    return this.#request;
  }

  get workspaceId(): string {
    return this.#workspaceId;
  }

  async *watch(messages: AsyncIterable<Message>, context: HandlerContext): AsyncGenerator<Message> {
    for await (const message of messages) {
      this.#add(message);
      yield message;
    }
    const named = this.#fields.get('workspace_id') ?? '';
    this.#workspaceId = await resolveWorkspace(context, named);
    const facts = JSON.stringify([this.#content.digest('hex'), [...this.#fields].sort()]);
    const digest = createHash('sha256').update(facts).digest('hex');
    this.#request = await keyedRequest(context, this.#workspaceId, digest);
  }

  #add(message: Message): void {
    // The type of the message is only known from its descriptor.
    const values = new Map<string, unknown>(Object.entries(message));
    for (const { name, localName, fieldKind, scalar } of this.#method.input.fields) {
      const value = values.get(localName);
      if (fieldKind === 'scalar' && scalar === ScalarType.BYTES) {
        if (value instanceof Uint8Array) this.#content.update(value);
      } else if (value !== '' && value !== undefined) this.#fields.set(name, String(value));
    }
  }
}
