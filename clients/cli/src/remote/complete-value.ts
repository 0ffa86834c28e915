// Completes audit actions, scopes and the ids of signing keys.
import { getOption } from '@bufbuild/protobuf';
import { IssuanceService } from '../../../../gen/latchkey/identity/v1/issuance_pb.js';
import { OAuthService } from '../../../../gen/latchkey/identity/v1/oauth_pb.js';
import {
  SigningKeyService,
  SigningKeyStateSchema,
} from '../../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { VerificationService } from '../../../../gen/latchkey/identity/v1/verification_pb.js';
import { access } from '../../../../gen/latchkey/options/v1/access_pb.js';
import type { CommandHost, Word } from '../base/command.ts';
import { cleanText, isPlainWord } from '../base/text.ts';
import { soonEnough } from './complete-id.ts';
import { methods } from './methods.ts';
import { openRemote } from './remote.ts';
import { shortEnumName } from './request.ts';

/** Actions of the service itself, which are not methods. */
const ownActions = [
  'ClientService.PurgeClient',
  'CustomerService.PurgeCustomer',
  'IdentityProviderService.ApplyMappings',
  'IdentityProviderService.CreateUser',
  'IdentityProviderService.LinkUser',
  'MasterKey.Rotate',
  'SessionService.LogOutByProvider',
  'SessionService.SignInWithProvider',
  'SessionService.UseRecoveryCode',
  'SigningKeyService.CreateReceiptKey',
  'SigningKeyService.RemoveSigningKey',
  'SigningKeyService.ReplaceSigningKey',
  'Staff.Recover',
  'UserService.PurgeUser',
  'UserService.WithdrawPasswordLink',
  'WorkspaceService.PurgeWorkspace',
];

const allMethods = [
  ...methods,
  ...[IssuanceService, OAuthService, VerificationService].flatMap((service) => service.methods),
];

const wordsOf = (texts: readonly string[]): Word[] =>
  [...new Set(texts)].sort().map((text) => ({ text, about: '' }));

async function signingKeys(host: CommandHost): Promise<Word[]> {
  const remote = await openRemote(host);
  const answer = await soonEnough(remote.call(SigningKeyService.method.listSigningKeys, {}));
  const keys = answer?.signingKeys.filter(({ kid }) => isPlainWord(kid)) ?? [];
  return keys.map(({ kid, alg, state }) => {
    const name = SigningKeyStateSchema.value[state]?.name ?? '';
    return { text: kid, about: cleanText(`${alg}, ${shortEnumName(SigningKeyStateSchema, name)}`) };
  });
}

/** By the names of options and arguments. */
const valuesOf: Readonly<Record<string, (host: CommandHost) => Promise<Word[]>>> = {
  action: async () =>
    wordsOf([...ownActions, ...allMethods.map(({ name, parent }) => `${parent.name}.${name}`)]),
  scope: async () =>
    wordsOf(
      allMethods.map((method) => getOption(method, access).scope).filter((text) => text !== ''),
    ),
  kid: signingKeys,
};

/** Returns undefined for an option or argument with other values. */
export const completeValue = async (name: string, host: CommandHost): Promise<Word[] | undefined> =>
  valuesOf[name]?.(host);
