// One provider cannot get the codes of another (RFC 9700 §4.4).
import { expect, it, onTestFinished } from 'vitest';
import { useAttackedProvider } from '../../support/attacked-provider.ts';
import { registerProvider } from '../../support/company-sign-in.ts';
import { startScriptedProvider } from '../../support/scripted-provider.ts';

const use = useAttackedProvider();

it('never gives the code of one provider to another', async () => {
  await use.begin();
  const [honest, evil] = await Promise.all([startScriptedProvider(), startScriptedProvider()]);
  onTestFinished(async () => void (await Promise.all([honest.close(), evil.close()])));
  // Neither of them sends `iss`.
  const metadata = { authorization_response_iss_parameter_supported: undefined };
  Object.assign(honest.script, { metadata });
  Object.assign(evil.script, { metadata });
  const honestId = await registerProvider(use.place(), honest, { name: 'Honest' });
  const evilId = await registerProvider(use.place(), evil, { name: 'Evil' });
  const accomplice = use.browser();
  await accomplice.start(honestId);
  const victim = use.browser();
  const { location } = await victim.start(evilId);
  // The evil provider leads the browser on to the honest one, with this state.
  victim.returnPath = accomplice.returnPath;
  const state = location.searchParams.get('state') ?? '';
  expect((await victim.callback({ code: 'code', state })).problem).toBe('response_invalid');
  expect(evil.requests.map(({ path }) => path)).not.toContain('/token');
});
