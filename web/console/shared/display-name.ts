/** The name of a user, or the email address if the name is empty. */
export const displayName = ({ name, email }: { readonly name: string; readonly email: string }) =>
  name === '' ? email : name;
