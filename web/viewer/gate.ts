// Submits the code of a link's gate when it is complete. The form works without this script.
const field = document.querySelector<HTMLInputElement>('input[name="code"].code');
const digitsOf = (text: string) => text.replace(/\D/g, '');
let submitted = '';
let isSending = false;

field?.addEventListener('input', () => {
  const digits = digitsOf(field.value);
  // A pasted or filled-in code may contain spaces.
  if (digits.length !== 6 || digits === submitted) return;
  submitted = digits;
  field.value = digits;
  field.form?.requestSubmit();
});

// A code works once, so the Enter key after the last digit must not send it again.
field?.form?.addEventListener('submit', (event) => {
  if (isSending) event.preventDefault();
  isSending = true;
});

// The browser may show the page again without loading it.
window.addEventListener('pageshow', () => {
  isSending = false;
});
