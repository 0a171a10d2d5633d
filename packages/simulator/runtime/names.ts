import { isIP } from 'node:net';

/** An address of a host, as a resolver returns it. */
interface Found {
  readonly address: string;
  readonly family: 4 | 6;
}

interface LookupOptions {
  readonly all?: boolean;
  readonly family?: number | string;
}

type Callback = (error: Error | null, ...found: readonly unknown[]) => void;

/** Address of every host that says nothing else. Requests go by names here, so it is nobody's. */
const SOMEWHERE: Found = { address: '52.0.0.1', family: 4 };
/** Names that contain an IPv4 address and have it: `10-0-0-1.sslip.io`. Source: sslip.io. */
const SSLIP = /(?:^|[.-])(\d{1,3})[-.](\d{1,3})[-.](\d{1,3})[-.](\d{1,3})\.sslip\.io\.?$/;

/**
 * Returns the addresses of a host. Each name has a public address, since requests reach hosts by their names: an unknown host fails when
 * it is called. `localhost` and names at sslip.io have those that they have everywhere, so code that refuses private addresses can be
 * tried.
 */
function findAddresses(host: string): readonly Found[] {
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  if (/(?:^|\.)localhost\.?$/.test(host)) return [{ address: '127.0.0.1', family: 4 }];
  const [, ...parts] = SSLIP.exec(host) ?? [];
  const address = parts.join('.');
  return isIP(address) === 4 ? [{ address, family: 4 }] : [SOMEWHERE];
}

/** Returns the modules `dns` and `dns/promises` of an environment: `lookup`, which is what connections use. */
export function createDnsModules(): { readonly dns: object; readonly promises: object } {
  const look = (host: string, options: LookupOptions | number = {}): Found | readonly Found[] => {
    const { all = false } = typeof options === 'number' ? {} : options;
    const found = findAddresses(host);
    return all ? found : (found[0] ?? SOMEWHERE);
  };
  const promises = { lookup: async (host: string, options?: LookupOptions | number) => look(host, options) };
  const lookup = (host: string, ...rest: readonly unknown[]): void => {
    const callback = rest.at(-1) as Callback;
    const found = look(host, rest.length > 1 ? (rest[0] as LookupOptions) : {});
    process.nextTick(() => ('address' in found ? callback(null, found.address, found.family) : callback(null, found)));
  };
  return { dns: { lookup, promises }, promises };
}
