/** The maximum lifetime of a token in seconds. The limit of `Client.token_seconds` is the same. */
export const longestTokenSeconds = 3_600;
