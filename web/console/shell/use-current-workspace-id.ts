import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** The workspace of the screen or, on other screens, the last one that the user opened. */
export function useCurrentWorkspaceId(): string | undefined {
  const { workspaceId } = useParams({ strict: false });
  const [last, setLast] = useState<string>();
  useEffect(() => {
    if (workspaceId !== undefined) setLast(workspaceId);
  }, [workspaceId]);
  return workspaceId ?? last;
}
