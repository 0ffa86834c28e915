// The relying party of Web Authentication, with @simplewebauthn/server.
import type { JsonObject } from '@bufbuild/protobuf';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { PasskeyRow, UserRow } from '../../storage/schema/schema.ts';

export type CreatedPasskey = Pick<
  PasskeyRow,
  'credential_id' | 'public_key' | 'counter' | 'transports' | 'synced'
>;

/** Returns whether the challenge, in base64url, is one to accept. */
type AcceptChallenge = (challenge: string) => boolean;

export type PasskeyParty = {
  /** Whether browsers accept passkeys for the public URL. */
  readonly isAvailable: boolean;
  registrationOptions(
    user: UserRow,
    known: readonly Pick<PasskeyRow, 'credential_id' | 'transports'>[],
    challenge: string,
  ): Promise<JsonObject>;
  signInOptions(challenge: string): Promise<JsonObject>;
  /** Throws for a credential that does not match. */
  verifyNew(credential: JsonObject, accept: AcceptChallenge): Promise<CreatedPasskey>;
  /** Returns the signature counter. Throws for a response that does not match. */
  verifySignIn(
    credential: JsonObject,
    passkey: PasskeyRow,
    accept: AcceptChallenge,
  ): Promise<number>;
};

/** EdDSA, ES256 and RS256 (RFC 9053 §2), in the order of preference. */
const algorithms = [-8, -7, -257];

/** In milliseconds: the time that the user has to choose a passkey. */
const timeout = 300_000;

const rpName = 'Latchkey';

export function createPasskeyParty(publicUrl: string): PasskeyParty {
  const { protocol, hostname: rpID } = new URL(publicUrl);
  const isAddress = /^[\d.]+$|^\[/.test(rpID);
  const isSecure = protocol === 'https:' || rpID === 'localhost';
  const expected = { expectedOrigin: publicUrl, expectedRPID: rpID, requireUserVerification: true };
  return {
    isAvailable: isSecure && !isAddress,

    async registrationOptions({ id, email, name }, known, challenge) {
      const { generateRegistrationOptions } = await loadLibrary();
      const options = await generateRegistrationOptions({
        ...{ rpName, rpID, challenge, timeout },
        userID: Uint8Array.from(Buffer.from(id)),
        userName: email,
        userDisplayName: name || email,
        supportedAlgorithmIDs: algorithms,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: known.map(({ credential_id, transports }) => ({
          id: credential_id,
          transports: transports.split(' '),
        })),
      });
      return toJsonObject(options);
    },

    async signInOptions(challenge) {
      const { generateAuthenticationOptions } = await loadLibrary();
      const userVerification = 'required';
      return toJsonObject(
        await generateAuthenticationOptions({ rpID, challenge, timeout, userVerification }),
      );
    },

    async verifyNew(credential, accept) {
      await refuseAttestation(credential);
      const { verifyRegistrationResponse } = await loadLibrary();
      const { registrationInfo } = await verifyRegistrationResponse({
        ...expected,
        // The library checks the members that it reads.
        response: credential as unknown as RegistrationResponseJSON,
        expectedChallenge: accept,
        supportedAlgorithmIDs: algorithms,
      });
      if (registrationInfo === undefined) throw new Error('the attestation is not valid');
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      return {
        credential_id: id,
        public_key: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: knownTransports(transports).join(' '),
        synced: registrationInfo.credentialDeviceType === 'multiDevice' ? 1 : 0,
      };
    },

    async verifySignIn(credential, { credential_id, public_key }, accept) {
      const { verifyAuthenticationResponse } = await loadLibrary();
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        ...expected,
        response: credential as unknown as AuthenticationResponseJSON,
        expectedChallenge: accept,
        credential: {
          id: credential_id,
          publicKey: Uint8Array.from(Buffer.from(public_key, 'base64url')),
          // The caller compares the counter: without a valid signature it proves nothing.
          counter: 0,
        },
      });
      if (!verified) throw new Error('the signature is not valid');
      return authenticationInfo.newCounter;
    },
  };
}

/**
 * Throws for a certificate of the authenticator, which the options do not ask for. The library
 * would fetch the revocation lists that it names, from any address.
 */
async function refuseAttestation({ response }: JsonObject): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const { attestationObject } = response as JsonObject;
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(String(attestationObject)));
  const isSelfMade = decoded.get('fmt') === 'packed' && !decoded.get('attStmt').get('x5c');
  if (decoded.get('fmt') !== 'none' && !isSelfMade) throw new Error('has an attestation');
}

/** Loading takes half a second, so the process loads the library with the first passkey. */
const loadLibrary = () => import('@simplewebauthn/server');

const allTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

function knownTransports(given: readonly unknown[]): string[] {
  return allTransports.filter((name) => given.includes(name));
}

/** Drops the members that are undefined. */
const toJsonObject = (value: object): JsonObject => JSON.parse(JSON.stringify(value));
