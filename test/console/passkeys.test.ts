// The life of a passkey in a real browser, with the virtual authenticator of Chromium.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heading } from '../support/browser-pages.ts';
import { endSessions, fillSignIn, useConsole } from '../support/console-suite.ts';
import { freePort } from '../support/free-port.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';

// Browsers accept passkeys on no IP address.
const port = await freePort();
const config = { http: { host: '127.0.0.1', port }, publicUrl: `http://localhost:${port}` };
const { app, visit, staff } = useConsole({ config });

const db = () => app().app.inside.db;

/** Confirms each request, as a user with a fingerprint does. */
async function addAuthenticator(page: Page) {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}

async function signedInWithPasskey(userId: string): Promise<boolean> {
  const sessions = db().selectFrom('sessions').select('id').where('user_id', '=', userId);
  return (await sessions.where('amr', '=', 'hwk user mfa').execute()).length > 0;
}

it('a user adds a passkey, signs in and confirms with it, and deletes it', async () => {
  const own = await staff();
  const { page, open } = await visit();
  await addAuthenticator(page);
  await open('/sign-in?next=/console/account');
  await fillSignIn(page, own);
  await heading(page, 'Your account').waitFor();
  const card = page.getByRole('region', { name: 'Passkeys' });
  await card.getByRole('button', { name: 'Add passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add passkey' });
  await dialog.getByLabel('Name').fill('Work laptop');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await card.getByText('Work laptop').waitFor();
  await card.getByText('never used').waitFor();
  // The session of the sign-in with a password.
  const sessions = page.getByRole('region', { name: 'Sessions' });
  await sessions.getByRole('cell', { name: 'Password', exact: true }).waitFor();

  // The authenticator accepts the passkey that the browser suggests in the address field.
  await endSessions(app(), own.id);
  await open('/sign-in');
  await heading(page, 'Overview').waitFor();
  await expect.poll(() => signedInWithPasskey(own.id)).toBe(true);

  // The sign-in is now too old for a sensitive action.
  await changeAsOtherProcess(db(), (trx) =>
    trx.updateTable('sessions').set({ auth_time: 1 }).where('user_id', '=', own.id).execute(),
  );
  await open('/account');
  await card.getByText('last used').waitFor();
  await card.getByRole('button', { name: 'Actions for Work laptop' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  const stepUp = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await stepUp.getByRole('button', { name: 'Use a passkey' }).click();
  await stepUp.waitFor({ state: 'hidden' });
  await card.getByText('Work laptop').waitFor({ state: 'hidden' });
  const left = db().selectFrom('passkeys').select('id').where('user_id', '=', own.id);
  expect(await left.execute()).toEqual([]);
});
