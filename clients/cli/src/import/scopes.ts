// The scopes of imported clients.
import { getOption } from '@bufbuild/protobuf';
import { VerificationService } from '../../../../gen/latchkey/identity/v1/verification_pb.js';
import { access } from '../../../../gen/latchkey/options/v1/access_pb.js';
import { UsageError } from '../base/command.ts';
import { methods } from '../remote/methods.ts';

/** The scopes that replace a scope of the other server. */
export type ScopeMap = ReadonlyMap<string, readonly string[]>;

const pattern = /^[a-z][a-z0-9_]{0,63}:(read|write)$/;

/** Reads the values of `--map-scope`, such as `orders.read=orders:read`. */
export function readScopeMap(given: unknown): ScopeMap {
  const map = new Map<string, string[]>();
  for (const text of Array.isArray(given) ? given.map(String) : []) {
    const end = text.lastIndexOf('=');
    const [from, to] = [text.slice(0, end), text.slice(end + 1)];
    if (end < 1 || !pattern.test(to)) {
      throw new UsageError(
        `--map-scope ${text}: must be <old scope>=<area>:<read|write>, such as orders=orders:read.`,
      );
    }
    map.set(from, [...(map.get(from) ?? []), to]);
  }
  return map;
}

/** The areas of the methods of Latchkey: their scopes manage the service. */
const managementAreas = new Set(
  [...methods, ...VerificationService.methods].map(
    (method) => getOption(method, access).scope.split(':')[0],
  ),
);

/** Another server gives the scopes of the service another meaning, so they need a `--map-scope`. */
export function mapScopes(
  scopes: readonly string[],
  map: ScopeMap,
): { readonly mapped: string[]; readonly notes: readonly string[] } {
  const mapped = new Set<string>();
  const notes: string[] = [];
  for (const scope of scopes) {
    const isOwn = pattern.test(scope) && !managementAreas.has(scope.split(':')[0]);
    const to = map.get(scope) ?? (isOwn ? [scope] : []);
    for (const one of to) mapped.add(one);
    if (to.length === 0) notes.push(`scope ${scope}`);
  }
  return { mapped: [...mapped], notes };
}
