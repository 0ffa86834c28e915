// Hostile and failing identity providers: no sign-in starts a session, and no request leads inside.
import { describe, expect } from 'vitest';
import { type Attacks, useAttackedProvider } from '../../support/attacked-provider.ts';
import { registerProvider } from '../../support/company-sign-in.ts';
import { changeAsOtherProcess } from '../../support/owner-rows.ts';
import { product } from '../../support/rule.ts';
import { answerLate, startScriptedProvider } from '../../support/scripted-provider.ts';

const use = useAttackedProvider();

/** An installation has at most five providers. */
const removeHostile = () =>
  changeAsOtherProcess(use.db(), (trx) =>
    trx.deleteFrom('identity_providers').where('name', '=', 'Hostile').execute(),
  );

const withMetadata = (metadata: Readonly<Record<string, unknown>>) => async () => {
  // A provider that the service has not called yet.
  const hostile = await startScriptedProvider();
  hostile.script.metadata = metadata;
  await removeHostile();
  try {
    const id = await registerProvider(use.place(), hostile, { name: 'Hostile' });
    const browser = use.browser();
    return { browser, returned: await browser.signIn(hostile, id, use.account()) };
  } finally {
    await hostile.close();
  }
};

/** A provider that stops before the sign-in starts, or before it returns. */
const stopped = (when: 'start' | 'callback') => async () => {
  const provider = await startScriptedProvider();
  await removeHostile();
  const id = await registerProvider(use.place(), provider, { name: 'Hostile' });
  const browser = use.browser();
  if (when === 'start') {
    await provider.close();
    return { browser, returned: await browser.start(id) };
  }
  const { location } = await browser.start(id);
  expect(location.origin).toBe(provider.issuer);
  await provider.close();
  const state = location.searchParams.get('state') ?? '';
  return {
    browser,
    returned: await browser.callback({ code: 'code', state, iss: provider.issuer }),
  };
};

const attacks: Attacks = {
  provider_unavailable: {
    'the provider refuses connections at the start': stopped('start'),
    'the provider refuses connections at the callback': stopped('callback'),
    'the provider takes too long': async () => {
      use.provider().script.token = answerLate;
      return use.attempt(use.account());
    },
    'the provider sends a giant answer': async () => {
      use.provider().script.token = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"a":"${'x'.repeat(1_000_000)}"}`);
      };
      return use.attempt(use.account());
    },
    'the provider sends a compressed answer': async () => {
      use.provider().script.token = (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' });
        response.end('{}');
      };
      return use.attempt(use.account());
    },
    'the metadata are those of another issuer': withMetadata({
      issuer: 'https://login.example.com',
    }),
    'the metadata name a private token endpoint': withMetadata({
      token_endpoint: 'https://169.254.169.254/token',
    }),
    'the metadata name a private key set': withMetadata({
      jwks_uri: 'https://[::ffff:10.0.0.1]/jwks',
    }),
    'the metadata name a local file as the sign-in page': withMetadata({
      authorization_endpoint: 'file:///etc/passwd',
    }),
    ...Object.fromEntries(
      product(
        ['authorization_endpoint', 'token_endpoint', 'jwks_uri'],
        [5, {}, 'nonsense', 'http://', '//login.example.com', undefined],
      ).map(([name, value]) => [
        `the metadata have ${JSON.stringify(value)} as ${name}`,
        withMetadata({ [name]: value }),
      ]),
    ),
  },
  response_invalid: {
    'the provider redirects to a private address': async () => {
      use.provider().script.token = (response) => {
        response.writeHead(307, { location: `${use.other().issuer}/stolen` });
        response.end();
      };
      const outcome = await use.attempt(use.account());
      expect(use.other().requests.filter(({ path }) => path === '/stolen')).toEqual([]);
      return outcome;
    },
  },
};

describe('a hostile provider', () => {
  use.itRefuses(attacks, 28);
});
