// The parts of passkeys that the rest of the service uses.
import type { ServiceImpl } from '@connectrpc/connect';
import type { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { UseOnce } from '../tokens/single-use.ts';
import { createChallenges } from './challenges.ts';
import { createPasskeyParty } from './relying-party.ts';
import { createPasskeyService, type PasskeyOptions } from './service.ts';
import { createPasskeySignIn, type PasskeySignIn } from './sign-in.ts';

export type PasskeysOptions = Omit<PasskeyOptions, 'party' | 'challenges'> & {
  readonly masterKey: MasterKey;
  readonly useOnce: UseOnce;
  readonly publicUrl: string;
};

export type Passkeys = {
  readonly service: ServiceImpl<typeof PasskeyService>;
  readonly signIn: PasskeySignIn;
};

export function createPasskeys(options: PasskeysOptions): Passkeys {
  const party = createPasskeyParty(options.publicUrl);
  const keys = options.masterKey.derive('passkey challenges');
  const challenges = createChallenges({ ...options, keys });
  return {
    service: createPasskeyService({ ...options, party, challenges }),
    signIn: createPasskeySignIn({ ...options, party, challenges }),
  };
}
