/** The problems of a sign-in with an identity provider, which the service names in the address. */
const texts: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long, or it was already used. Try again.',
  provider_disabled: 'This way to sign in is turned off.',
  provider_unavailable: 'The company sign-in doesn’t answer. Try again later.',
  provider_refused: 'The company sign-in was canceled or refused.',
  response_invalid: 'The answer of the company sign-in isn’t valid. Ask an administrator.',
  address_not_verified:
    'Your company account has no verified email address. Ask your company’s administrator.',
  domain_not_allowed: 'The email address of your company account can’t be used here.',
  no_user: 'There is no user with the email address of your company account.',
  other_account:
    'Another company account is linked to your user. Ask an administrator to unlink it.',
  other_user: 'That company account belongs to another user. Use the account of this session.',
  user_disabled: 'Your user is disabled. Ask an administrator.',
  not_recent: 'The company sign-in didn’t confirm a new sign-in. Sign out there, then try again.',
  too_many: 'Too many attempts to sign in. Wait a moment, then try again.',
};

export const problemText = (problem: string) => texts[problem] ?? 'The sign-in failed. Try again.';
