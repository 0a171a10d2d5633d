/**
 * Names that begin with the application's name. They tell what this application writes from what others write in the
 * same account.
 *
 * Stored messages contain these names, so a deployed application must keep its name.
 */

/**
 * Pattern of an application's name: lower case, as is customary for EventBridge sources. The name is also a URN
 * namespace (RFC 8141) and the prefix of stack names.
 */
export const APP_NAME = /^[a-z][a-z0-9-]{0,30}[a-z0-9]$/;

/** Returns EventBridge's `source` for everything that a service sends, such as `shop.orders`. */
export const eventSource = (app: string, service: string): string => `${app}.${service}`;

/** Names the shape of a message's data and the service whose contract describes it: `urn:shop:orders:OrderPlaced:2`. */
export const dataschemaUrn = (app: string, service: string, type: string, version: number): string =>
  `urn:${app}:${service}:${type}:${version}`;

/** Returns the `type` of a problem (RFC 9457). Problem codes are a contract with clients. */
export const problemType = (app: string, code: string): string => `urn:${app}:problem:${code}`;

/** Returns the `instance` of a problem: the one request that it answers. */
export const requestUrn = (app: string, requestId: string): string => `urn:${app}:request:${requestId}`;

/** Returns the application's name as people read it, such as `Shop`. */
export const appTitle = (app: string): string => app.charAt(0).toUpperCase() + app.slice(1);

/**
 * Names the place of a runbook that says what to do.
 * @param runbook a page with a heading for each subject; or a folder, which ends with `/`: each alarm has a page `alarms/<alarm>.md`
 *   there, and each other subject a page with its words in lower case
 * @param heading an alarm's name, or another subject
 * @example
 * runbookPage('docs/runbook.md', 'QueueBehind'); // docs/runbook.md, "QueueBehind"
 * runbookPage('docs/runbook/', 'QueueBehind'); // docs/runbook/alarms/QueueBehind.md
 * runbookPage('docs/runbook/', 'Restore to a point in time'); // docs/runbook/restore-to-a-point-in-time.md
 */
export function runbookPage(runbook: string, heading: string): string {
  if (!runbook.endsWith('/')) return `${runbook}, "${heading}"`;
  if (/^\w+$/.test(heading)) return `${runbook}alarms/${heading}.md`;
  return `${runbook}${heading.toLowerCase().replaceAll(' ', '-')}.md`;
}
