import type { Resource } from '../../assembly/assembly.js';

/** Amazon API Gateway, "Quotas": defaults of an account and region. */
const ACCOUNT = { rate: 10_000, burst: 5_000 };

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Settings of a stage or a route, as a template has them. */
export interface ThrottlingSettings {
  readonly ThrottlingRateLimit?: number;
  readonly ThrottlingBurstLimit?: number;
}

interface MethodSetting extends ThrottlingSettings {
  readonly HttpMethod: string;
  readonly ResourcePath: string;
}

/**
 * The limits of a stage: a token bucket for each of its methods. Amazon API Gateway, "Throttle requests to your REST
 * APIs for better throughput": each request takes a token; the rate refills the bucket, and the burst is its size. A
 * stage's limits apply to each method separately, except to those with limits of their own.
 */
export class Throttling {
  private readonly limits: ReadonlyMap<string, { readonly rate: number; readonly burst: number }>;
  private readonly buckets = new Map<string, Bucket>();

  /**
   * @param settings by method and path (`POST /orders`); those of the whole stage by `*`
   * @param share of its limits that it has. @default 1
   */
  constructor(settings: readonly (readonly [string, ThrottlingSettings])[], share = 1) {
    const limits = settings.map(([name, { ThrottlingRateLimit, ThrottlingBurstLimit }]) => {
      const rate = Number(ThrottlingRateLimit ?? ACCOUNT.rate) * share;
      const burst = Math.max(1, Number(ThrottlingBurstLimit ?? ACCOUNT.burst) * share);
      return [name, { rate, burst }] as const;
    });
    this.limits = new Map(limits);
  }

  /** Checks whether a request to a method may pass, and takes a token if so. @param now milliseconds */
  passes(method: string, now: number): boolean {
    const { rate, burst } = this.limits.get(method) ?? this.limits.get(ALL_METHODS) ?? ACCOUNT;
    const { tokens, filledAt } = this.buckets.get(method) ?? { tokens: burst, filledAt: now };
    const filled = Math.min(burst, tokens + ((now - filledAt) / 1000) * rate);
    const passes = filled >= 1;
    this.buckets.set(method, { tokens: passes ? filled - 1 : filled, filledAt: now });
    return passes;
  }
}

/** Name of the settings of all methods that have none of their own. */
export const ALL_METHODS = '*';

/** Returns the settings of a REST API's stage, by method and path. @throws {Error} if all methods of one path have settings */
export function readMethodSettings({ label, properties }: Resource): readonly (readonly [string, MethodSetting])[] {
  const settings = (properties.MethodSettings ?? []) as unknown as readonly MethodSetting[];
  return settings.map((setting) => {
    const { HttpMethod, ResourcePath } = setting;
    if (HttpMethod === '*' && ResourcePath !== '/*') {
      throw new Error(`${label}: settings of * ${ResourcePath} alone aren't modelled`);
    }
    return [nameOf(HttpMethod, ResourcePath), setting];
  });
}

/** CloudFormation writes the slashes of a path below the first one as `~1`. */
const nameOf = (method: string, path: string): string =>
  method === '*' ? ALL_METHODS : `${method} ${path.replace(/^\//, '').replaceAll('~1', '/')}`;
