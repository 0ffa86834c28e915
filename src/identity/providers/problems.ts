// Why a sign-in with a provider was refused. The sign-in page shows a text for each problem.

export type SignInProblem =
  | 'expired'
  | 'provider_disabled'
  | 'provider_unavailable'
  | 'provider_refused'
  | 'response_invalid'
  | 'address_not_verified'
  | 'domain_not_allowed'
  | 'no_user'
  | 'other_account'
  | 'other_user'
  | 'user_disabled'
  | 'not_recent'
  | 'too_many';

export class SignInRefusal extends Error {
  readonly problem: SignInProblem;
  /** The id of the user, if the refusal concerns one. */
  readonly target: string;

  constructor(problem: SignInProblem, { target = '', cause }: RefusalDetails = {}) {
    super(`the sign-in was refused: ${problem}`, cause === undefined ? undefined : { cause });
    this.name = 'SignInRefusal';
    this.problem = problem;
    this.target = target;
  }
}

type RefusalDetails = { readonly target?: string; readonly cause?: unknown };
