// Deciding in the browser about a command-line sign-in.
import { expect, it } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { heading, overhangOf, phone } from '../support/browser-pages.ts';
import {
  expectAccessible,
  fillSignIn,
  staleSignInTime,
  useConsole,
} from '../support/console-suite.ts';
import { startDeviceSignIn } from '../support/device-sign-ins.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { openTransports, type Transport } from '../support/transports.ts';

const { app, visit, visitAs, staff } = useConsole();

/** Calls the method of the command line once, and so never before the end of the interval. */
const poll = (transport: Transport, { deviceCode }: { readonly deviceCode: string }) =>
  transport.call(SessionService.method.signInWithDeviceCode, { deviceCode });

async function started() {
  const [transport] = openTransports(app().app);
  if (transport === undefined) throw new Error('no transport');
  return { transport, device: await startDeviceSignIn(transport) };
}

it('a user opens the link on a phone, signs in, and approves', async () => {
  const { transport, device } = await started();
  const own = await staff();
  const { page, open } = await visit(phone);
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await open(`/device#${device.userCode}`);
  await page.getByText('Sign in to approve the command-line sign-in.').waitFor();
  await fillSignIn(page, own);
  await heading(page, 'Sign in on the command line').waitFor();
  expect(await page.getByLabel('Code').inputValue()).toBe(device.userCode);
  expect(new URL(page.url()).hash).toBe('');
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Approve this sign-in?').waitFor();
  for (const text of [own.email, device.userCode, '127.0.0.1']) {
    await page.getByText(text, { exact: true }).waitFor();
  }
  await page.getByText('Approve only if you started this sign-in yourself').waitFor();
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Approve' }).click();
  await heading(page, 'Sign-in approved').waitFor();
  expect(messageOf(await poll(transport, device)).user?.email).toBe(own.email);
  expect(urls.filter((url) => url.includes(device.userCode.slice(0, 4)))).toEqual([]);
});

it('a user types the code, confirms an approval, and denies another sign-in', async () => {
  const own = await staff();
  const { page, open } = await visitAs(own, { signedInAt: staleSignInTime() });
  const { transport, device } = await started();
  const enter = async (code: string) => {
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  await open('/device');
  const focused = page.locator(':focus');
  await expect.poll(() => focused.getAttribute('name')).toBe('code');
  await enter('BBBB-BBBB');
  await page.getByText('No sign-in waits for this code.').waitFor();
  await enter(device.userCode.toLowerCase().replace('-', ''));
  await page.getByText(device.userCode, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  const stepUp = page.getByRole('dialog', { name: 'Confirm it’s you' });
  await stepUp.waitFor();
  expect(codeOf(await poll(transport, device))).toBe('identity.authorization_pending');
  await fillSignIn(page, own);
  await heading(page, 'Sign-in approved').waitFor();

  const other = await startDeviceSignIn(transport);
  await open(`/device#${other.userCode}`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Enter another code' }).click();
  await expect.poll(() => focused.getAttribute('name')).toBe('code');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await heading(page, 'Sign-in denied').waitFor();
  expect(codeOf(await poll(transport, other))).toBe('identity.device_sign_in_denied');
});
