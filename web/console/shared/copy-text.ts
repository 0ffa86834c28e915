/**
 * Puts a text on the clipboard, and tells whether that went well. Over plain http there is no
 * clipboard to be written to, and what is left is to copy what is selected: here, in an element of
 * the same dialog, since a focus elsewhere would not stay.
 */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text, near);
  }
}

function copySelected(text: string, near: HTMLElement): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  near.after(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    near.focus({ preventScroll: true });
  }
}
