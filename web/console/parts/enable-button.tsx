import { Button } from '@mantine/core';
import { useActing } from './act.ts';
import { ProblemDialog } from './problem-dialog.tsx';

/** Enables what was disabled, without a question, and tells of what goes wrong. */
export function EnableButton({ enable }: { readonly enable: () => Promise<unknown> }) {
  const { isPending, error, run, clear } = useActing();
  return (
    <>
      <Button loading={isPending} onClick={() => void run(enable)}>
        Enable
      </Button>
      <ProblemDialog title="It is still disabled" error={error} close={clear} />
    </>
  );
}
