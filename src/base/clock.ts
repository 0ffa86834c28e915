/** Returns the current time in milliseconds since 1970. */
export type Clock = () => number;

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
