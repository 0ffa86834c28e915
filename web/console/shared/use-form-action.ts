import { type RefObject, useEffect, useRef, useState } from 'react';
import { fieldErrorsOf } from '../session/error-details.ts';
import { fieldNamesOf, focusFirstInvalid } from './form-fields.ts';
import { type PendingAction, usePendingAction } from './use-pending-action.ts';
import { useRestoredFocus } from './use-restored-focus.ts';

export type FormAction = PendingAction & {
  /** Native edits clear the error. Other controls must call `clearError`. */
  readonly formProps: {
    readonly ref: RefObject<HTMLFormElement | null>;
    readonly onChange: () => void;
  };
  /** The names of the fields that show their own errors. */
  readonly shownFields: ReadonlySet<string>;
  /** Focuses the first field with an error, or scrolls to the error of the whole form. */
  fail(): void;
};

/** The submission of a form. `setFieldError` receives the errors of the service. */
export function useFormAction(setFieldError?: (name: string, text: string) => void): FormAction {
  const ref = useRef<HTMLFormElement>(null);
  const [shownFields, setShownFields] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState(0);
  function fail() {
    if (ref.current !== null) setShownFields(fieldNamesOf(ref.current));
    setFailures((count) => count + 1);
  }
  const action = usePendingAction((error) => {
    for (const { name, text } of fieldErrorsOf(error)) setFieldError?.(name, text);
    fail();
  });
  const { isPending, clearError, run } = action;
  const rememberFocus = useRestoredFocus(isPending);
  useEffect(() => {
    if (failures > 0 && ref.current !== null) focusFirstInvalid(ref.current);
  }, [failures]);
  return {
    ...action,
    formProps: { ref, onChange: clearError },
    shownFields,
    fail,
    run(work) {
      rememberFocus();
      return run(work);
    },
  };
}
