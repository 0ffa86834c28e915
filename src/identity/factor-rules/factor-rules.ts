// The rules that require a second factor: of staff, by a setting, and of the members of workspaces.
import type { Membership, MembershipsOf } from '../../api/principal.ts';
import type { Executor, SessionRow, UserRow } from '../../storage/schema/schema.ts';

/** Whether a second factor is part of the sign-in (RFC 8176 §2). */
export const provesFactor = (amr: string) => amr.split(' ').includes('mfa');

export type FactorRules = {
  /**
   * When the session loses access, because it has no second factor: milliseconds since 1970.
   * Undefined if it has one, and if no rule requires one.
   */
  dueTimeOf(
    session: Pick<SessionRow, 'amr'>,
    user: Pick<UserRow, 'id' | 'kind'>,
    trx?: Executor,
  ): Promise<number | undefined>;
};

export type FactorRuleOptions = {
  /** When staff begin to need a second factor; undefined if they do not. */
  readonly staffDueTime: number | undefined;
  readonly membershipsOf: MembershipsOf;
};

export function createFactorRules({ staffDueTime, membershipsOf }: FactorRuleOptions): FactorRules {
  return {
    async dueTimeOf({ amr }, { id, kind }, trx) {
      if (provesFactor(amr)) return undefined;
      return kind === 'staff' ? staffDueTime : earliestOf(await membershipsOf(id, trx));
    },
  };
}

function earliestOf(memberships: ReadonlyMap<string, Membership>): number | undefined {
  const times = [...memberships.values()].flatMap(({ factorDueTime = [] }) => factorDueTime);
  return times.length === 0 ? undefined : Math.min(...times);
}
