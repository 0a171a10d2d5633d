import { UsageError } from './usage-error.js';

/**
 * Reads the values of `--outside`, each `<host>=<url>`.
 * @returns addresses of stubs by their hosts, which are in lower case
 * @throws {UsageError} for one that is malformed, or a host that is named twice
 */
export function stubAddresses(texts: readonly string[]): Readonly<Record<string, string>> {
  const addresses = new Map<string, string>();
  for (const text of texts) {
    const [, name, url = ''] = /^([\w.-]+(?::\d+)?)=(.*)$/.exec(text) ?? [];
    if (name === undefined || !/^https?:/.test(url) || !URL.canParse(url))
      throw new UsageError(`--outside ${text}: <host>=<url> was expected, as cards.example.com=http://127.0.0.1:9000`);
    const host = name.toLowerCase();
    if (addresses.has(host))
      throw new UsageError(`--outside ${text}: ${host} is named twice; one address was expected`);
    addresses.set(host, url);
  }
  return Object.fromEntries(addresses);
}
