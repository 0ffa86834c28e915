/** How somebody is called where there is little room. */
export const displayName = ({ name, email }: { readonly name: string; readonly email: string }) =>
  name === '' ? email : name;
