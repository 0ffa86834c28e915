import { expect } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import type { Suite } from './app-suite.ts';
import { codeOf, managerCredential, messageOf } from './manager-calls.ts';
import type { TransportName } from './matrix.ts';
import { type Added, addClient } from './owner-rows.ts';

const { createClientSecret, listClientSecrets, revokeClientSecret, rotateClientSecret } =
  ClientService.method;
const { issueToken } = IssuanceService.method;

/** A client with one secret, managed and used through one transport. */
export class ClientWithSecret {
  readonly clientId: string;
  readonly first: string;
  readonly firstId: string;
  readonly #suite: Suite;
  readonly #name: TransportName;

  constructor(suite: Suite, name: TransportName, { ownerId, text, credentialId }: Added) {
    this.clientId = ownerId;
    this.first = text;
    this.firstId = credentialId;
    this.#suite = suite;
    this.#name = name;
  }

  static async of(suite: Suite, name: TransportName, state = {}): Promise<ClientWithSecret> {
    const added = await addClient(suite.app.inside.db, 'payments:read', state);
    return new ClientWithSecret(suite, name, added);
  }

  // The test may have moved the clock since the last call.
  readonly call: ReturnType<Suite['transport']>['call'] = async (method, request) => {
    const manager = await managerCredential(this.#suite.app, 'clients:write');
    return this.#suite.transport(this.#name).call(method, request, manager);
  };

  create(fields = {}) {
    return this.call(createClientSecret, { clientId: this.clientId, ...fields });
  }

  rotate(fields = {}) {
    return this.call(rotateClientSecret, { clientId: this.clientId, ...fields });
  }

  revoke(secretId: string) {
    return this.call(revokeClientSecret, { clientId: this.clientId, secretId });
  }

  async list(pageSize = 200) {
    const request = { clientId: this.clientId, pageSize };
    return messageOf(await this.call(listClientSecrets, request)).secrets;
  }

  /** Returns whether the secret still yields a token. */
  async takes(clientSecret: string): Promise<boolean> {
    const request = { clientId: this.clientId, clientSecret, scope: 'payments:read' };
    const code = codeOf(await this.#suite.transport(this.#name).call(issueToken, request));
    if (code !== 'ok') expect(code).toBe('identity.credential_invalid');
    return code === 'ok';
  }
}
