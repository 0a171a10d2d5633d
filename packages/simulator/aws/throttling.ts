import type { Resource } from '../assembly/assembly.js';

/** Amazon API Gateway, "Quotas": defaults of an account and region. */
const ACCOUNT = { rate: 10_000, burst: 5_000 };

interface Bucket {
  tokens: number;
  filledAt: number;
}

interface MethodSetting {
  readonly HttpMethod: string;
  readonly ResourcePath: string;
  readonly ThrottlingRateLimit?: number;
  readonly ThrottlingBurstLimit?: number;
}

/**
 * The limits of a stage: a token bucket for each of its methods. Amazon API Gateway, "Throttle requests to your REST
 * APIs for better throughput": each request takes a token; the rate refills the bucket, and the burst is its size. A
 * stage's limits apply to each method separately.
 */
export class Throttling {
  private readonly rate: number;
  private readonly burst: number;
  private readonly buckets = new Map<string, Bucket>();

  /** @throws {Error} if single methods have their own settings */
  constructor({ label, properties }: Resource) {
    const settings = (properties.MethodSettings ?? []) as unknown as readonly MethodSetting[];
    const own = settings.find(({ HttpMethod, ResourcePath }) => HttpMethod !== '*' || ResourcePath !== '/*');
    if (own) throw new Error(`${label}: settings of ${own.HttpMethod} ${own.ResourcePath} alone aren't modelled`);
    const [{ ThrottlingRateLimit = ACCOUNT.rate, ThrottlingBurstLimit = ACCOUNT.burst } = {}] = settings;
    this.rate = Number(ThrottlingRateLimit);
    this.burst = Number(ThrottlingBurstLimit);
  }

  /** Checks whether a request to a method may pass, and takes a token if so. @param now milliseconds */
  passes(method: string, now: number): boolean {
    const { tokens, filledAt } = this.buckets.get(method) ?? { tokens: this.burst, filledAt: now };
    const filled = Math.min(this.burst, tokens + ((now - filledAt) / 1000) * this.rate);
    const passes = filled >= 1;
    this.buckets.set(method, { tokens: passes ? filled - 1 : filled, filledAt: now });
    return passes;
  }
}
