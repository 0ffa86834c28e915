// Holds all audiences in memory, so that a token request needs no query for its audience.

import { fail } from '../../base/errors/errors.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { keepLoaded } from '../../storage/cache/loaded-rows.ts';
import type { AudienceRow, Database, SigningAlgorithm } from '../../storage/schema/schema.ts';
import { findAllAudiences } from './store.ts';

export type Audience = {
  /** Undefined for the audience of this service, unless it was also created as an audience. */
  readonly id: string | undefined;
  /** The `aud` of the tokens. */
  readonly identifier: string;
  /** Returns whether an owner with these audiences has this one. */
  isGrantedTo(ids: readonly string[]): boolean;
  /** The claims `iss` and `aud`, as members of a JSON object. */
  readonly constants: string;
  readonly signingAlg: SigningAlgorithm;
};

export type Audiences = {
  /** The audience of this service. */
  readonly own: Audience;
  /** Returns a known audience. Throws `unavailable` as a keyring does. */
  find(identifier: string): Promise<Audience | undefined>;
  /** Returns whether an owner with these audiences has an audience. */
  isGranted(ids: readonly string[], identifier: string): boolean | Promise<boolean>;
  /**
   * Returns the audience of a token request with this `resource`, which may be empty. Throws
   * `identity.invalid_target` if the owner with these audiences does not have it.
   */
  choose(ids: readonly string[], resource: string): Audience | Promise<Audience>;
};

export type AudiencesOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  /** The issuer of all tokens. As a `resource`, it also names the audience of this service. */
  readonly publicUrl: string;
  /** The identifier of the audience of this service. By default the public URL. */
  readonly own?: string | undefined;
};

export async function openAudiences(options: AudiencesOptions): Promise<Audiences> {
  const { db, invalidations, publicUrl, own: ownIdentifier = publicUrl } = options;
  const audienceOf = (identifier: string, signingAlg: SigningAlgorithm, id?: string): Audience => ({
    id,
    identifier,
    isGrantedTo(ids) {
      if (ids.length === 0) return identifier === ownIdentifier;
      return id !== undefined && ids.includes(id);
    },
    constants: JSON.stringify({ iss: publicUrl, aud: identifier }).slice(1, -1),
    signingAlg,
  });
  const own = audienceOf(ownIdentifier, 'EdDSA');
  let byIdentifier: ReadonlyMap<string, Audience> = new Map();
  let byId: ReadonlyMap<string, Audience> = new Map();
  const rows = await keepLoaded(invalidations, 'audience', async () => {
    const found = (await findAllAudiences(db)).map((row: AudienceRow) => {
      return [row.id, audienceOf(row.identifier, row.signing_alg, row.id)] as const;
    });
    byId = new Map(found);
    byIdentifier = new Map(found.map(([, audience]) => [audience.identifier, audience]));
  });

  async function find(identifier: string): Promise<Audience | undefined> {
    await rows.ensureCurrent();
    return byIdentifier.get(identifier) ?? (identifier === ownIdentifier ? own : undefined);
  }
  async function chooseGranted(ids: readonly string[], resource: string): Promise<Audience> {
    await rows.ensureCurrent();
    if (resource === '' && ids.length > 1) throw refuse('is required: there are several audiences');
    const found = resource === '' ? byId.get(ids[0] ?? '') : byIdentifier.get(resource);
    if (found?.isGrantedTo(ids)) return found;
    throw refuse();
  }
  return {
    own,
    find,
    isGranted(ids, identifier) {
      if (ids.length === 0) return identifier === ownIdentifier;
      return find(identifier).then((found) => found?.isGrantedTo(ids) ?? false);
    },
    choose(ids, resource) {
      if (ids.length > 0) return chooseGranted(ids, resource);
      if (resource === '' || resource === ownIdentifier || resource === publicUrl) return own;
      throw refuse();
    },
  };
}

/** Does not reveal whether the audience exists. */
const refuse = (reason = 'is unknown or not granted') =>
  fail('identity.invalid_target', `resource: ${reason}`);
