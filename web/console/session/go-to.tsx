import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Navigates to a path that the router has not parsed. */
export function GoTo({ address }: { readonly address: string }) {
  const { history } = useRouter();
  useEffect(() => history.replace(address), [history, address]);
  return null;
}
