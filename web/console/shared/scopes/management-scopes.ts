/** The areas of the service itself. Their scopes are described for staff and services. */
type Sentences = { readonly read: string; readonly write: string };

const sentences: Readonly<Record<string, Sentences>> = {
  accounts: {
    read: 'Lists the accounts of all customers.',
    write: 'Permits nothing in Latchkey. It is for services that check tokens.',
  },
  api_keys: {
    read: 'Lists the API keys of every workspace, without the keys themselves.',
    write: 'Creates, rotates and revokes API keys in every workspace.',
  },
  audiences: {
    read: 'Lists audiences and their settings.',
    write: 'Creates, changes and deletes audiences, and so decides how tokens are signed.',
  },
  audit: {
    read: 'Reads every audit event and the usage of each client and customer.',
    write: 'Permits nothing. No one can change the audit log.',
  },
  clients: {
    read: 'Lists clients with their scopes and states, without secrets.',
    write:
      'Gives clients any scope outside Latchkey, and acts as clients whose scopes the holder has.',
  },
  customers: {
    read: 'Lists customers and their accounts.',
    write: 'Gets tokens for any account, by assigning it to a customer and creating an API key.',
  },
  documents: {
    read: 'Lists and downloads the documents of every workspace.',
    write: 'Uploads, changes and deletes documents in every workspace.',
  },
  identity_providers: {
    read: 'Lists the providers of company sign-in and their settings.',
    write: 'With all other scopes: acts as every user, by adding a provider.',
  },
  links: {
    read: 'Lists all links, and the email addresses of their readers.',
    write: 'Makes any document with a known ID public, and changes and revokes every link.',
  },
  signing_keys: {
    read: 'Lists the signing keys, without the private keys.',
    write: 'Invalidates all tokens, by revoking keys. It can’t forge a token.',
  },
  tokens: {
    read: 'Verifies a token that the holder knows, and reads its content.',
    write: 'Revokes a token that the holder knows.',
  },
  trusted_issuers: {
    read: 'Lists the issuers whose assertions are accepted.',
    write: 'Changes the keys of an issuer, and so acts as its clients if it has their scopes.',
  },
  users: {
    read: 'Lists all users with their email addresses and scopes.',
    write: 'Acts as every user whose scopes and roles the holder has, by setting the password.',
  },
  workspaces: {
    read: 'Lists all workspaces with their usage, domains and members.',
    write: 'Changes and deletes every workspace: its members, brand, quota, domains and documents.',
  },
};

export const managementAreas: readonly string[] = Object.keys(sentences);

/** Describes a management scope in one sentence. Undefined for another scope. */
export function describeScope(scope: string): string | undefined {
  const [area, access] = splitScope(scope);
  return access === 'write' ? sentences[area]?.write : sentences[area]?.read;
}

export const isManagementArea = (area: string) => Object.hasOwn(sentences, area);

/** The area and the access of a scope. */
function splitScope(scope: string): readonly [area: string, access: string] {
  const [area = '', access = ''] = scope.split(':');
  return [area, access];
}

/** The areas of the scopes, once each, in alphabetical order. */
export const areasOf = (scopes: Iterable<string>): string[] =>
  [...new Set([...scopes].map((scope) => splitScope(scope)[0]))].sort();
