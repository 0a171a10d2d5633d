/**
 * Names that begin with the application's own: what it writes can be told from what others write in the same account.
 * Messages that are stored have them, so an application that is deployed keeps its name.
 */

/** Lower case, as sources of EventBridge are by custom; it is also a namespace of URNs (RFC 8141) and begins names of stacks. */
export const APP_NAME = /^[a-z][a-z0-9-]{0,30}[a-z0-9]$/;

/** EventBridge's `source` of all that a service sends: `shop.orders`. */
export const sourceOf = (app: string, service: string): string => `${app}.${service}`;

/** Which shape a message's data has, by the service whose contract describes it: `urn:shop:orders:OrderPlaced:2`. */
export const dataschemaOf = (app: string, service: string, type: string, version: number): string =>
  `urn:${app}:${service}:${type}:${version}`;

/** `type` of a problem (RFC 9457). Its codes are a contract with clients. */
export const problemType = (app: string, code: string): string => `urn:${app}:problem:${code}`;

/** `instance` of a problem: the one request that it answers. */
export const requestUrn = (app: string, requestId: string): string => `urn:${app}:request:${requestId}`;

/** As people read it: `Shop`. */
export const titleOf = (app: string): string => app.charAt(0).toUpperCase() + app.slice(1);
