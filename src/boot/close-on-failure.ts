type OnFailure = (close: () => unknown) => void;

/** If the step fails, closes in reverse order and throws the error of the step. */
export async function closeOnFailure<T>(step: (onFailure: OnFailure) => Promise<T>): Promise<T> {
  const closers: (() => unknown)[] = [];
  try {
    return await step((close) => void closers.push(close));
  } catch (error) {
    for (const close of closers.reverse()) {
      // A part that cannot be closed must not hide the reason of the failure.
      await (async () => close())().catch(() => {});
    }
    throw error;
  }
}
