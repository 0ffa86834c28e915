/** The fields of a form, as its user meets them. */

/** A field that holds what it cannot tell, and what to do about it. */
export type InvalidDate = { readonly field: HTMLInputElement; readonly advice: string };

/** The first date of which a part is missing, or whose year has too many digits. */
export function findInvalidDate(form: HTMLFormElement): InvalidDate | undefined {
  for (const field of form.querySelectorAll('input')) {
    const { badInput, rangeOverflow } = field.validity;
    if (badInput) return { field, advice: 'Please complete it, or leave it empty.' };
    if (rangeOverflow) return { field, advice: 'Please write a year of four digits.' };
  }
  return undefined;
}

/** The names of the fields that are there to be seen. */
export function visibleFieldNames(form: HTMLFormElement): ReadonlySet<string> {
  const fields = form.querySelectorAll<HTMLElement>('[data-path]');
  return new Set([...fields].map(({ dataset }) => dataset.path ?? ''));
}

const inputs = 'input, select, textarea';

/** Takes the user to the first field that is wrong, or else lets them see what is said of all. */
export function focusFirstInvalid(form: HTMLFormElement): void {
  const marked = form.querySelector('[aria-invalid=true], .mantine-InputWrapper-error');
  const field = marked?.matches(inputs)
    ? marked
    : marked?.closest('.mantine-InputWrapper-root')?.querySelector(inputs);
  if (field instanceof HTMLElement) field.focus();
  else form.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' });
}
