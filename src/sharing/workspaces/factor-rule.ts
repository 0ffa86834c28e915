// The rule of a workspace that requires a second factor of its members.
import { type Clock, dayMs } from '../../base/clock.ts';
import type { WorkspaceRow } from '../../storage/schema/schema.ts';

type StoredRule = Pick<WorkspaceRow, 'factor_required_since' | 'factor_grace_days'>;

/** When members begin to need a second factor; undefined if they do not. */
export function factorDueTimeOf(rule: StoredRule): number | undefined {
  const { factor_required_since: since, factor_grace_days: days } = rule;
  return since === null ? undefined : since + days * dayMs;
}

/** A rule that is already on keeps its start. */
export function changedRule(
  isRequired: boolean,
  { factor_required_since }: StoredRule,
  now: Clock,
) {
  return { factor_required_since: isRequired ? (factor_required_since ?? now()) : null };
}
