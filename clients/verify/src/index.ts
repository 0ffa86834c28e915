export type { SigningAlgorithm } from './algorithms.ts';
export {
  type Actor,
  type Confirmation,
  type CustomerClaims,
  coversAccount,
  coversScopes,
  type PrincipalType,
  type ServiceClaims,
  type TokenClaims,
  type UserClaims,
} from './claims.ts';
export { claimsOf } from './claims-of.ts';
export { type HttpRefusal, httpRefusalOf, VerifyError, type VerifyErrorCode } from './errors.ts';
export type { PresentedToken, UseOnce } from './proofs.ts';
export { authorize, type RequestRule, type Rule, type TokenRule } from './rule.ts';
export { createVerifier, type Verifier, type VerifierOptions } from './verifier.ts';
