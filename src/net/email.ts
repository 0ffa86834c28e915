const lengthMax = 254;

// What HTML's <input type=email> takes, with at least one dot in the domain.
const pattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** An e-mail address in the form that we keep, in lower case; undefined where it is none. */
export function readEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return email.length <= lengthMax && pattern.test(email) ? email : undefined;
}
