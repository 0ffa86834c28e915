/** How somebody is called where there is little room. */
export const callName = ({ name, email }: { readonly name: string; readonly email: string }) =>
  name === '' ? email : name;
