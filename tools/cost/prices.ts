/**
 * Prices in us-east-1, in US dollars, without free tiers and discounts of volume, and how long things take on AWS where nobody
 * has measured it. Every sum of the documents uses this one table; whoever changes a line looks its price up, and dates it.
 */
export interface Price {
  readonly dollars: number;
  /** Number of units that cost so much. */
  readonly per: number;
  readonly unit: string;
  /** Page that names the price. */
  readonly source: string;
  /** Day of the page, or of the copy that was read. */
  readonly date: string;
}

const MILLION = 1_000_000;
const GB = 1024 ** 3;
const COST_PAGE = 'the stored copy of AWS’s price page';

export const PRICES = {
  requests: price(3.5, MILLION, 'requests', `Amazon API Gateway pricing, REST APIs: ${COST_PAGE}`, '2026-11-20'),
  firewall: price(0.6, MILLION, 'requests', `AWS WAF pricing: ${COST_PAGE}`, '2026-11-20'),
  invocations: price(0.2, MILLION, 'invocations', 'web.archive.org of aws.amazon.com/lambda/pricing', '2026-06-18'),
  lambdaTime: price(
    13.3334,
    MILLION,
    'GB-s on arm64',
    'web.archive.org of aws.amazon.com/lambda/pricing',
    '2026-06-18',
  ),
  writes: price(
    0.625,
    MILLION,
    'write request units',
    'airbyte.com/data-engineering-resources/dynamodb-pricing',
    '2026-11-29',
  ),
  reads: price(
    0.125,
    MILLION,
    'read request units',
    'airbyte.com/data-engineering-resources/dynamodb-pricing',
    '2026-11-29',
  ),
  busEntries: price(
    1,
    MILLION,
    'events',
    'factualminds.com/blog/amazon-eventbridge-pricing-events-pipes-schema-archive',
    '2026-06-13',
  ),
  archive: price(
    0.1,
    GB,
    'bytes',
    'factualminds.com/blog/amazon-eventbridge-pricing-events-pipes-schema-archive',
    '2026-06-13',
  ),
  queueRequests: price(0.4, MILLION, 'requests', 'cloudburn.io/blog/amazon-sqs-pricing', '2026-03-14'),
  fairRequests: price(0.1, MILLION, 'requests', 'cloudburn.io/blog/amazon-sqs-pricing', '2026-03-14'),
  logs: price(0.5, GB, 'bytes', `Amazon CloudWatch pricing: ${COST_PAGE}`, '2026-11-20'),
  kmsCalls: price(0.03, 10_000, 'calls', `AWS KMS pricing: ${COST_PAGE}`, '2026-11-20'),
  s3Writes: price(0.005, 1_000, 'requests', `Amazon S3 pricing: ${COST_PAGE}`, '2026-11-20'),
  s3Reads: price(0.0004, 1_000, 'requests', `Amazon S3 pricing: ${COST_PAGE}`, '2026-11-20'),
  durableOperations: price(
    8,
    MILLION,
    'operations',
    'github.com/api-evangelist/aws-lambda, plans/aws-lambda-plans-pricing.yml',
    '2026-09-20',
  ),
  durableBytes: price(
    0.25,
    GB,
    'bytes written',
    'github.com/api-evangelist/aws-lambda, plans/aws-lambda-plans-pricing.yml',
    '2026-09-20',
  ),
  standardTransitions: price(
    25,
    MILLION,
    'state transitions',
    'wring.co/blog/aws-step-functions-pricing-guide',
    '2026-03-14',
  ),
  expressRequests: price(1, MILLION, 'requests', 'wring.co/blog/aws-step-functions-pricing-guide', '2026-03-14'),
  expressTime: price(16.67, MILLION, 'GB-s', 'wring.co/blog/aws-step-functions-pricing-guide', '2026-03-14'),
} as const satisfies Record<string, Price>;
export type Priced = keyof typeof PRICES;

/** Times in milliseconds, and bytes of a line, that depend on an account and were not measured in one. */
export const ESTIMATES = {
  /** An authorizer, whose keys are in memory. */
  authorizer: 10,
  /** A function that answers a request. */
  request: 20,
  /** A message or a record that is alone in its invocation. */
  alone: 50,
  /** The same in an invocation of ten. */
  inBatch: 20,
  /** Any other invocation. */
  other: 50,
  /**
   * Milliseconds of a whole virtual CPU that an invocation for one message takes at most, warm: the simulator's own work included, means of
   * three times 3,058 invocations of 60 orders (5.3 to 6.5). The times above are at 512 MB, and so is their part of CPU.
   */
  cpu: 6,
  /** One call of the payment provider: Stripe's answer. */
  provider: 500,
  /** Line of the API's access log, in bytes. */
  accessLog: 350,
} as const;

/** Memory, in MB, at which the times were estimated. */
const ESTIMATED_AT = 512;
/** Memory, in MB, with a whole virtual CPU; CPU is in proportion to memory (AWS Lambda Developer Guide, "Configure Lambda function memory"). */
const WHOLE_CPU_AT = 1_769;

/** Returns how much longer an invocation takes with other memory than the estimates', in milliseconds: its work, not its waiting. */
export const longerWith = (memory: number): number =>
  ESTIMATES.cpu * (WHOLE_CPU_AT / memory - WHOLE_CPU_AT / ESTIMATED_AT);

/** Messages of a full batch of a queue, as the kit's consumers are set up. */
export const BATCH = 10;

/** Returns the dollars for so many of a million orders' units: of `quantity` an order. */
export const perMillion = (what: Priced, quantity: number): number => {
  const { dollars, per } = PRICES[what];
  return (quantity * MILLION * dollars) / per;
};

function price(dollars: number, per: number, unit: string, source: string, date: string): Price {
  return { dollars, per, unit, source, date };
}
