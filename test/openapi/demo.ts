// The interface between the flows and their test. It does not depend on generated types.

export type Demo = {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly customerApiKey: string;
  readonly workspaceApiKey: string;
  readonly staffEmail: string;
  readonly staffPassword: string;
};

export type Flows = {
  tokens(demo: Demo): Promise<void>;
  errors(demo: Demo): Promise<void>;
  sharing(demo: Demo, text: string): Promise<void>;
  teamwork(demo: Demo): Promise<void>;
  /** `wait` lets five minutes pass. */
  rotation(demo: Demo, wait: () => void): Promise<void>;
};

export type SharingFlows = {
  versions(demo: Demo): Promise<void>;
  rooms(demo: Demo): Promise<void>;
  batch(demo: Demo): Promise<void>;
  /** `lastCode` returns the code that was mailed to an address. */
  agreements(demo: Demo, lastCode: (email: string) => Promise<string>): Promise<void>;
  visitors(demo: Demo): Promise<void>;
  domains(demo: Demo): Promise<void>;
};
