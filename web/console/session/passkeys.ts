/** Asks the browser for passkeys. The library loads with the first use. */
import type { JsonObject } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { localError } from './error-details.ts';

export const hasPasskeys = () => typeof window.PublicKeyCredential === 'function';

const loadLibrary = () => import('@simplewebauthn/browser');

/** Creates a passkey. Throws an error with the reason in words. */
export async function createBrowserPasskey(options: JsonObject | undefined): Promise<JsonObject> {
  const { startRegistration } = await loadLibrary();
  // The service returns the JSON of the standard, and the browser checks it.
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const created = await startRegistration({ optionsJSON }).catch((error: unknown) => {
    throw passkeyError(error, 'The passkey was not created. Try again.');
  });
  return created as unknown as JsonObject;
}

/** Asks for a passkey of this site. Throws an error with the reason in words. */
export async function askForPasskey(options: JsonObject | undefined): Promise<JsonObject> {
  const { startAuthentication } = await loadLibrary();
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const response = await startAuthentication({ optionsJSON }).catch((error: unknown) => {
    throw passkeyError(error, 'No passkey was used. Try again, or sign in another way.');
  });
  return response as unknown as JsonObject;
}

/**
 * Offers passkeys in the suggestions of the field with the autocomplete token `webauthn`. Resolves
 * to undefined if the browser does not support this, or if another request replaces this one.
 */
export async function suggestPasskeys(
  options: () => Promise<JsonObject | undefined>,
): Promise<JsonObject | undefined> {
  const { browserSupportsWebAuthnAutofill, startAuthentication } = await loadLibrary();
  if (!(await browserSupportsWebAuthnAutofill())) return undefined;
  const optionsJSON = (await options()) as unknown as PublicKeyCredentialRequestOptionsJSON;
  const request = startAuthentication({ optionsJSON, useBrowserAutofill: true });
  return (await request.catch(() => undefined)) as unknown as JsonObject | undefined;
}

/** Ends the request for suggestions, for example when the field is removed. */
export async function stopSuggestingPasskeys(): Promise<void> {
  const { WebAuthnAbortService } = await loadLibrary();
  WebAuthnAbortService.cancelCeremony();
}

function passkeyError(error: unknown, text: string): Error {
  const { name = '' } = error instanceof Error ? error : {};
  const known = name === 'InvalidStateError' ? 'This device already has a passkey for you.' : text;
  return localError('passkey_declined', known, Code.Aborted);
}
