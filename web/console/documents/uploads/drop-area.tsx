import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { hasFiles } from './file-drag.ts';
import classes from './uploads.module.css';
import { useUploads } from './uploads-context.tsx';

/** Uploads files that are dropped anywhere in the window. */
export function DropArea({ workspaceId }: { readonly workspaceId: string }) {
  const uploads = useUploads();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event) || isBeneathDialog()) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Null only when the pointer leaves the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || isBeneathDialog()) return;
      event.preventDefault();
      const { files, folders } = splitFilesAndFolders(event.dataTransfer);
      uploads.add(workspaceId, files);
      for (const folder of folders) {
        uploads.refuse(workspaceId, folder, 'This is a folder. Drop the files inside it instead.');
      }
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [uploads, workspaceId]);
  if (!isOver) return null;
  return (
    <div className={classes.drop}>
      <Text size="xl" fw={600}>
        Drop files to upload
      </Text>
    </div>
  );
}

/** Drops are ignored while a dialog is open. */
const isBeneathDialog = () => document.querySelector('[role=dialog]') !== null;

function splitFilesAndFolders({ items }: DataTransfer) {
  const files: File[] = [];
  const folders: File[] = [];
  for (const item of items) {
    const file = item.getAsFile();
    if (file !== null) (item.webkitGetAsEntry()?.isDirectory ? folders : files).push(file);
  }
  return { files, folders };
}
