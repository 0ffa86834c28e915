/** A date field whose input has no value, with an error message. */
export type InvalidDate = { readonly field: HTMLInputElement; readonly advice: string };

/** The first date that is incomplete or whose year has too many digits. */
export function findInvalidDate(form: HTMLFormElement): InvalidDate | undefined {
  for (const field of form.querySelectorAll('input')) {
    const { badInput, rangeOverflow } = field.validity;
    if (badInput) return { field, advice: 'Complete the date or clear the field.' };
    if (rangeOverflow) return { field, advice: 'Enter a year with four digits.' };
  }
  return undefined;
}

/** The names of all fields of the form. */
export function fieldNamesOf(form: HTMLFormElement): ReadonlySet<string> {
  const fields = form.querySelectorAll<HTMLElement>('[data-path]');
  return new Set([...fields].map(({ dataset }) => dataset.path ?? ''));
}

const inputs = 'input, select, textarea';

/** Focuses the first field with an error, or scrolls to the error of the whole form. */
export function focusFirstInvalid(form: HTMLFormElement): void {
  const marked = form.querySelector('[aria-invalid=true], .mantine-InputWrapper-error');
  const field = marked?.matches(inputs)
    ? marked
    : marked?.closest('.mantine-InputWrapper-root')?.querySelector(inputs);
  if (field instanceof HTMLElement) field.focus();
  else form.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' });
}
