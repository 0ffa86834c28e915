/** The maximum lifetime of a token, in settings and in `Client.token_seconds`. */
export const tokenSecondsMax = 3600;
