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

// Formats the agreement of a link. Without this script, the page shows its source.
const agreement = document.querySelector('#agreement > pre');
if (agreement !== null) void formatAgreement(agreement);

async function formatAgreement(source: Element): Promise<void> {
  const { renderMarkdown } = await import('./markdown/render-markdown.ts');
  const formatted = await renderMarkdown(source.textContent ?? '');
  if (formatted !== undefined) source.replaceWith(formatted);
}
