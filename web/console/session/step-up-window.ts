/**
 * Confirms the user with an identity provider in another window, so that the form beneath keeps its
 * input. The windows have no reference to each other, because their openers are isolated (COOP).
 */
const channelName = 'latchkey step-up';

type Outcome = { readonly problem?: string };

/** Sends the outcome to the console, and closes this window if the browser lets it. */
export function announceStepUp(problem?: string): void {
  const channel = new BroadcastChannel(channelName);
  const outcome: Outcome = problem === undefined ? {} : { problem };
  channel.postMessage(outcome);
  channel.close();
  if (problem === undefined) window.close();
}

/** Calls `onEnd` for each confirmation that ends. Returns a function that stops it. */
export function listenForStepUp(onEnd: (problem: string | undefined) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<Outcome>) => onEnd(data.problem);
  return () => channel.close();
}

export function openStepUp(address: string): void {
  window.open(address, '_blank', 'popup,width=520,height=720');
}
