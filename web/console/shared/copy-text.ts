/**
 * Copies text and resolves to whether it worked. Without HTTPS there is no clipboard API; the
 * fallback copies a selection. It selects inside the same dialog, which would take the focus back.
 */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text, near);
  }
}

/**
 * Copies a text that is not known yet. Some browsers allow that only if it starts with the click.
 * Rejects if the text does.
 */
export async function copyLater(text: Promise<string>, near: HTMLElement): Promise<boolean> {
  const type = 'text/plain';
  try {
    const blob = text.then((known) => new Blob([known], { type }));
    await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
    return true;
  } catch {
    return copyText(await text, near);
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
