// The details of values that do not match the pattern of their field.

/** By the patterns of the proto files. */
const details: Readonly<Record<string, string>> = {
  '^[!-~]+$': 'must contain only printable ASCII characters without spaces',
  '^[!-~]*$': 'must contain only printable ASCII characters without spaces',
  '^[ -~]+$': 'must contain only printable ASCII characters',
  '^[ -~]*$': 'must contain only printable ASCII characters',
  '^[!#-\\[\\]-~]+$':
    'must contain only printable ASCII characters without spaces, quotation marks and backslashes',
  '[^\\s][\\s\\S]*[^\\s]': 'must contain at least two characters that are not spaces',
  '^[0-9]{6}$': 'must be 6 digits',
  '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$':
    'must be a UUID in lower case, such as 0d3f4c1e-6a57-4b0c-9a3e-5f0c2d1b7a90',
  '^[a-z][a-z0-9_]{0,63}:(read|write)$':
    'must be an area in lower case, a colon, and read or write, such as payments:read',
  '^aud_[0-9A-Za-z]{22}$': 'must be the id of an audience: aud_ and 22 letters or digits',
  '^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$':
    'must be an id: at most 64 letters, digits, dots, dashes and underscores',
  '^([0-9A-Za-z][0-9A-Za-z._-]*)?$':
    'must contain only letters, digits, dots, dashes and underscores, ' +
    'and begin with a letter or a digit',
  '^[A-Za-z0-9._:-]{1,128}$':
    'must be 1 to 128 letters, digits, dots, underscores, colons and dashes',
  '^([a-z][a-z0-9+.-]*:[!-~]+)?$': 'must be a URI, such as spiffe://example.org/billing',
  '^([a-z0-9_-]+([.][a-z0-9_-]+)*)?$':
    'must be a DNS name in lower case, such as billing.example.com',
  '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$':
    'must be a domain name in lower case, such as docs.example.com',
  '^[A-Za-z][A-Za-z0-9+.-]*:[!$-;=?-Z_a-z~%\\[\\]]+$':
    'must be an absolute URI without a fragment, such as https://payments.example.com',
  '^https?://[!-"$->@-~]+$': 'must be an https URL without a query or a fragment',
  '^[A-Za-z][A-Za-z0-9]*\\.[A-Za-z][A-Za-z0-9]*$':
    'must be a service and a method, such as ClientService.CreateClient',
  '^[a-z_]+(\\.[a-z_]+)?$': 'must be an error code, such as step_up_required',
  '^(#[0-9A-Fa-f]{6})?$': 'must be a color, such as #1d5bb8',
};

const patternMessage = /^does not match regex pattern `([^`]+)`$/;

/** Replaces the message of protovalidate about a pattern by a sentence. Keeps other messages. */
export function explainPattern(message: string): string {
  const [, pattern = ''] = patternMessage.exec(message) ?? [];
  return details[pattern] ?? message;
}
