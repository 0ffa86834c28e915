import { useEffect } from 'react';

type FileDrag = DragEvent & { readonly dataTransfer: DataTransfer };

/** Whether it is files that are dragged, rather than some text. */
export function hasFiles(event: DragEvent): event is FileDrag {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** For files that are dropped where nothing takes them, the browser would leave the console. */
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
