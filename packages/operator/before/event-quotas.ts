/** Quotas of EventBridge that a deployment may meet. */
export interface EventQuotas {
  /** Events that match a rule and are sent to its targets, per second. More are delayed. */
  readonly invocations: number;
  /** Requests of PutEvents per second. More are refused, and the relay repeats them. */
  readonly putEvents: number;
  /** Rules on one bus. */
  readonly rules: number;
}

/** Codes of the quotas at Service Quotas. */
export const EVENT_QUOTA_CODES: Readonly<Record<keyof EventQuotas, string>> = {
  invocations: 'L-5540C5E3',
  putEvents: 'L-9B653E91',
  rules: 'L-244521F2',
};

/** Code of AWS Lambda's concurrent executions at Service Quotas. */
export const CONCURRENCY_QUOTA_CODE = 'L-B99A9384';

/** Date on which the defaults were looked up, for a caller who may not ask Service Quotas. */
export const DEFAULTS_OF = '2026-11-29';

/** Invocations and requests of PutEvents per second. Amazon EventBridge User Guide, "Custom Event Bus - Classic quotas". */
const PER_SECOND: Readonly<Record<string, readonly [invocations: number, putEvents: number]>> = {
  'us-east-1': [18_750, 10_000],
  'us-east-2': [4_500, 2_400],
  'us-west-1': [2_250, 1_200],
  'us-west-2': [18_750, 10_000],
  'ap-east-1': [1_100, 600],
  'ap-northeast-1': [2_250, 1_200],
  'ap-northeast-2': [1_100, 600],
  'ap-south-1': [1_100, 600],
  'ap-southeast-1': [2_250, 1_200],
  'ap-southeast-2': [2_250, 1_200],
  'ca-central-1': [1_100, 600],
  'eu-central-1': [4_500, 2_400],
  'eu-north-1': [1_100, 600],
  'eu-south-2': [4_500, 2_400],
  'eu-west-1': [18_750, 10_000],
  'eu-west-2': [2_250, 1_200],
  'eu-west-3': [1_100, 600],
  'sa-east-1': [1_100, 600],
};
const ELSEWHERE = [750, 400] as const;
const FEW_RULES: readonly string[] = ['af-south-1', 'eu-south-1'];

/** Returns the quotas of a new account in a region, as of `DEFAULTS_OF`. */
export function defaultEventQuotas(region: string): EventQuotas {
  const [invocations, putEvents] = PER_SECOND[region] ?? ELSEWHERE;
  return { invocations, putEvents, rules: FEW_RULES.includes(region) ? 100 : 300 };
}

/** Returns the page of the Service Quotas console on which an increase is requested. */
export const quotaPage = (region: string, service: string, code: string): string =>
  `https://${region}.console.aws.amazon.com/servicequotas/home/services/${service}/quotas/${code}`;
