// The types of the rows about the running processes of the deployment.

/** The right to do a job that only one process of the deployment does at a time. */
export type LeaseRow = {
  name: string;
  /** A random id of the process that holds the lease. */
  owner: string;
  /** When the lease ends unless it is renewed, by the clock of the database. */
  expire_time: number;
};

/** A process that serves calls. */
export type ProcessRow = {
  /** A random id. */
  id: string;
  host: string;
  version: string;
  start_time: number;
  /** When the process last wrote the row, by the clock of the database. */
  seen_time: number;
};

export type ProcessTables = {
  leases: LeaseRow;
  processes: ProcessRow;
};
