// The reason in the audit event of an approved sign-in. It has the network address of the program,
// which an erasure of the person removes like that of the event.

const start = 'requested from ';

export const approvalReason = (address: string): string => `${start}${address}`;

export const withoutRequestAddress = (reason: string): string =>
  reason.startsWith(start) ? `${start}an erased address` : reason;
