import { useEffect } from 'react';

type FileDrag = DragEvent & { readonly dataTransfer: DataTransfer };

/** Whether files are being dragged, not text. */
export function hasFiles(event: DragEvent): event is FileDrag {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** Without this, the browser would navigate to a file that is dropped outside the drop area. */
export function useIgnoreStrayFiles() {
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    addEventListener('dragover', over);
    addEventListener('drop', over);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', over);
    };
  }, []);
}
