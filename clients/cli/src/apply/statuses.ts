/** The exit statuses of `apply`. */
export const applyStatuses = { same: 0, failed: 1, changed: 2, drift: 3 } as const;
