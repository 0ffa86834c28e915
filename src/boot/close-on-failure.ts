/** Registers a function that closes a part of the service. */
type OnFailure = (close: () => unknown) => void;

/**
 * Runs a step of the start. If it fails, calls the registered functions in reverse order, and then
 * throws the error of the step.
 */
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
