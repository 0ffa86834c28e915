const lengthMax = 254;

// The pattern of HTML's `<input type=email>`, but the domain must contain a dot.
const pattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** Returns an e-mail address in lower case, or undefined if the text is not an e-mail address. */
export function readEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return email.length <= lengthMax && pattern.test(email) ? email : undefined;
}
