import { useState } from 'react';

/**
 * The `etag` to send with a form that stays on the screen while its resource is read again. It is
 * the latest one with which the resource has the values that the form began with, or those that
 * are in the form. Other changes of the resource do not matter to the form. If someone else changes
 * these values, the service refuses the form.
 */
export function useFormEtag(etag: string, stored: object, inForm: object): string {
  const values = JSON.stringify(stored);
  const [base, setBase] = useState({ etag, values });
  const isSame = values === base.values || values === JSON.stringify(inForm);
  if (isSame && (etag !== base.etag || values !== base.values)) setBase({ etag, values });
  return isSame ? etag : base.etag;
}
