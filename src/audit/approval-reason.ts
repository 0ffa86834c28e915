// The reason of the audit event of an approved sign-in. It contains the network address of the
// program, which the erasure of the person removes.

const start = 'requested from ';

export const approvalReason = (address: string): string => `${start}${address}`;

export const withoutRequestAddress = (reason: string): string =>
  reason.startsWith(start) ? `${start}an erased address` : reason;
