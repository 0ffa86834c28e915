// How a service client authenticates: with its secret, or with a token of a trusted issuer.
import { readFile } from 'node:fs/promises';
import { CommandError } from '../base/command.ts';
import { commandLineVariables as variables } from '../variables.ts';
import { type ProfileCredential, requireVisible } from './profile.ts';

export type ClientCredential = Extract<ProfileCredential, { readonly clientId: string }>;

/** Reads the token. The platform replaces the file before the token ends. */
export async function readAssertion(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(file, error, 'access');
  });
  return requireVisible(text.trim(), variables.assertionFile);
}

/** Returns the fields of a request that authenticate the client. */
export async function clientFieldsOf(credential: ClientCredential) {
  const { clientId } = credential;
  if (credential.kind === 'client') return { clientId, clientSecret: credential.clientSecret };
  return {
    clientId,
    clientAssertionType: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    clientAssertion: await readAssertion(credential.assertionFile),
  };
}
