// The part of oidc-provider that the tests use. Its types are a package with many dependencies.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  type Customizer = (context: unknown, token: unknown, parts: { payload: Claims }) => void;
  type Account = { readonly accountId: string; claims(): object };
  type Claims = { iat?: number; exp?: number };

  export default class Provider {
    constructor(
      issuer: string,
      configuration: {
        readonly clients: readonly object[];
        readonly features: object;
        readonly formats?: { readonly customizers: { readonly jwt: Customizer } };
        readonly scopes?: readonly string[];
        readonly claims?: Readonly<Record<string, readonly string[]>>;
        readonly cookies?: { readonly keys: readonly string[] };
        readonly fetch?: (
          url: string,
          request: RequestInit & { dispatcher?: unknown },
        ) => Promise<Response>;
        readonly findAccount?: (context: unknown, id: string) => Account;
      },
    );
    callback(): RequestListener;
  }
}
