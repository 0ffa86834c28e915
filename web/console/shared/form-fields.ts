/** A field with input that is not part of the values, with an error message. */
export type InvalidInput = { readonly field: HTMLInputElement; readonly advice: string };

/**
 * The first field with its own validity message, or with a date that is incomplete or whose year
 * has too many digits.
 */
export function findInvalidInput(form: HTMLFormElement): InvalidInput | undefined {
  for (const field of form.querySelectorAll('input')) {
    const { badInput, customError, rangeOverflow } = field.validity;
    if (customError) return { field, advice: field.validationMessage };
    if (badInput) return { field, advice: 'Complete the date or clear the field.' };
    if (rangeOverflow) return { field, advice: 'Enter a year with four digits.' };
  }
  return undefined;
}

/** The empty fields that the user must fill in. */
export const findMissingInputs = (form: HTMLFormElement): HTMLElement[] =>
  [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].filter(
    ({ validity, dataset }) => validity.valueMissing && dataset.path !== undefined,
  );

/** The names of all fields of the form. */
export function fieldNamesOf(form: HTMLFormElement): ReadonlySet<string> {
  const fields = form.querySelectorAll<HTMLElement>('[data-path]');
  return new Set([...fields].map(({ dataset }) => dataset.path ?? ''));
}

const inputs = 'input, select, textarea';

/** Focuses the first field with an error, or scrolls to the error of the whole form. */
export function focusFirstInvalid(form: HTMLFormElement): void {
  const marked = form.querySelector('[aria-invalid=true], .mantine-InputWrapper-error');
  const folded = marked?.closest('details');
  if (folded) folded.open = true;
  const field = marked?.matches(inputs)
    ? marked
    : marked?.closest('.mantine-InputWrapper-root')?.querySelector(inputs);
  if (field instanceof HTMLElement) field.focus();
  else form.querySelector('[data-error]')?.scrollIntoView({ block: 'nearest' });
}
