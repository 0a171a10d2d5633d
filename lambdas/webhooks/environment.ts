/** Name under which receivers see Orderly's requests. */
export const USER_AGENT = 'Orderly-Webhooks/1';
