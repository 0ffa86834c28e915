// Creates the parts of a gate that have keys.
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { createSignedValues } from '../../base/crypto/signed-value.ts';
import { createGateCodes, type GateCodesOptions } from './codes.ts';
import { createGateCookies, type GateState } from './cookies.ts';
import { createGateSteps, type GateStepsOptions } from './gate-steps.ts';
import { createPasswordThrottle } from './password-throttle.ts';
import { createRememberedReaders } from './remembered-readers.ts';

export type GatePartsOptions = Omit<GateCodesOptions, 'keys'> &
  Omit<GateStepsOptions, 'passwordThrottle' | 'codes'> & {
    readonly masterKey: MasterKey;
    readonly publicUrl: string;
  };

export function createGateParts({ masterKey, ...options }: GatePartsOptions) {
  const { publicUrl, random, now } = options;
  const passwordKeys = masterKey.derive('link password throttle');
  const passwordThrottle = createPasswordThrottle({ ...options, keys: passwordKeys });
  const codes = createGateCodes({ ...options, keys: masterKey.derive('link codes') });
  const stateKeys = masterKey.derive('gate state');
  const states = createSignedValues<GateState>({ keys: stateKeys, now });
  const browserKeys = masterKey.derive('known browser');
  const browsers = createSignedValues<string>({ keys: browserKeys, now });
  return {
    steps: createGateSteps({ ...options, passwordThrottle, codes }),
    remembered: createRememberedReaders(options),
    cookies: createGateCookies({ states, browsers, random, publicUrl }),
  };
}
