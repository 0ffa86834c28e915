import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { Problem } from './problem.tsx';

/** Enables what was disabled, without a question, and tells of what goes wrong. */
export function EnableButton({ enable }: { readonly enable: () => Promise<unknown> }) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);

  async function go() {
    setPending(true);
    await enable().catch(setError);
    setPending(false);
  }

  return (
    <>
      <Button loading={isPending} onClick={() => void go()}>
        Enable
      </Button>
      <Modal
        opened={error !== undefined}
        onClose={() => setError(undefined)}
        title="It is still disabled"
      >
        <Problem error={error} />
      </Modal>
    </>
  );
}
