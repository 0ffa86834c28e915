// How a service client authenticates: with its secret, its key, a token of a trusted issuer, or the
// certificate that each connection presents.
import { keyOpenerOf, type PrivateJwk } from '../../../client/src/assertions.ts';
import { UsageError } from '../base/command.ts';
import { readInput } from '../base/files.ts';
import { commandLineVariables as variables } from '../variables.ts';
import { type ProfileCredential, requireVisible } from './profile.ts';

export type ClientCredential = Extract<ProfileCredential, { readonly clientId: string }>;

/** Reads a token from a file. The errors name the option or variable, and not the token. */
export const readTokenFile = async (file: string, name: string) =>
  requireVisible((await readInput(file)).toString().trim(), name);

/** Reads a private JWK. The error does not contain it. */
export async function readPrivateKey(file: string): Promise<PrivateJwk> {
  const text = await readInput(file);
  try {
    const jwk: PrivateJwk = JSON.parse(text.toString());
    if ('kty' in jwk && keyOpenerOf(jwk) !== undefined) return jwk;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} is not a private JWK for Ed25519, ECDSA with P-256, or RSA.`);
}

/** Returns the credentials of @latchkey/client. The platform replaces the file of an assertion. */
export async function credentialsOf(credential: ClientCredential, scope: string) {
  const { clientId } = credential;
  switch (credential.kind) {
    case 'client':
      return { clientId, clientSecret: credential.clientSecret, scope };
    case 'client-key':
      return { clientId, privateKey: await readPrivateKey(credential.keyFile), scope };
    case 'assertion': {
      const { assertionFile } = credential;
      const assertion = () => readTokenFile(assertionFile, variables.assertionFile);
      return { clientId, assertion, scope };
    }
    case 'certificate':
      return { clientId, scope };
  }
}
