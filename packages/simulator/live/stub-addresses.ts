import { UsageError } from './usage-error.js';

/** Names of the values of `--outside`: addresses of stubs by their hosts, which are in lower case, and a module with models. */
export interface NamedOutside {
  readonly addresses: Readonly<Record<string, string>>;
  readonly module: string | undefined;
}

/**
 * Reads the values of `--outside`, each `<host>=<url>`, and one module at most.
 * @throws {UsageError} for one that is malformed, or for a host or a module that is named twice
 */
export function readOutside(texts: readonly string[]): NamedOutside {
  const modules = texts.filter((text) => IS_MODULE.test(text));
  if (modules.length > 1)
    throw new UsageError(`--outside ${modules[1]}: one module was expected, and ${modules[0]} is another one`);
  const addresses = texts.filter((text) => !modules.includes(text));
  return { addresses: stubAddresses(addresses, `${ADDRESS}, or a module (.ts, .mjs, .js)`), module: modules[0] };
}

const IS_MODULE = /^[^=]+\.[cm]?[jt]s$/;
const ADDRESS = '<host>=<url> was expected, as cards.example.com=http://127.0.0.1:9000';

/**
 * Reads values of `--outside`, each `<host>=<url>`.
 * @param expected says what would be right
 * @throws {UsageError} for one that is malformed, or a host that is named twice
 */
export function stubAddresses(texts: readonly string[], expected = ADDRESS): Readonly<Record<string, string>> {
  const addresses = new Map<string, string>();
  for (const text of texts) {
    const [, name, url = ''] = /^([\w.-]+(?::\d+)?)=(.*)$/.exec(text) ?? [];
    if (name === undefined || !/^https?:/.test(url) || !URL.canParse(url))
      throw new UsageError(`--outside ${text}: ${expected}`);
    const host = name.toLowerCase();
    if (addresses.has(host))
      throw new UsageError(`--outside ${text}: ${host} is named twice; one address was expected`);
    addresses.set(host, url);
  }
  return Object.fromEntries(addresses);
}
