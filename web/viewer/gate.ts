// Submits the code of a link's gate when it is complete. The form works without this script.
const field = document.querySelector<HTMLInputElement>('input[name="code"].code');
const digitsOf = (text: string) => text.replace(/\D/g, '');
let submitted = '';

field?.addEventListener('input', () => {
  const digits = digitsOf(field.value);
  // A pasted or filled-in code may contain spaces.
  if (digits.length !== 6 || digits === submitted) return;
  submitted = digits;
  field.value = digits;
  field.form?.requestSubmit();
});
