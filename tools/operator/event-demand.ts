import type { FindEventDemand } from '@orderly/operator';

/** Routes that begin orders, as a stage's settings write their paths. API Gateway counts each route by itself. */
const ROUTES = ['/~1orders', '/~1basket~1checkout'];

/**
 * Messages of an order, as test/budget.json counts them: each of 25 messages to a queue is an invocation of a rule's
 * target, and each of 15 commits is published by a request of its own (the most expensive case). The archive's rule is not counted:
 * AWS does not say whether it is an invocation.
 */
const OF_AN_ORDER = { invocations: 25, putEvents: 15 };

interface MethodSetting {
  readonly HttpMethod?: string;
  readonly ResourcePath?: string;
  readonly ThrottlingRateLimit?: number;
}

/** Returns the orders per second that the API's templates admit, and what they take of EventBridge. */
export const findOrdersDemand: FindEventDemand = (resources) => {
  const settings = resources
    .filter(({ type }) => type === 'AWS::ApiGateway::Stage')
    .flatMap(({ properties }) => (properties.MethodSettings ?? []) as readonly MethodSetting[]);
  const limits = settings.filter(
    ({ HttpMethod, ResourcePath = '' }) => HttpMethod === 'POST' && ROUTES.includes(ResourcePath),
  );
  const perSecond = limits.reduce((sum, { ThrottlingRateLimit = 0 }) => sum + ThrottlingRateLimit, 0);
  if (perSecond === 0) return undefined;
  return {
    ...OF_AN_ORDER,
    what: 'orders',
    perSecond,
    setting: (fits) =>
      fits < ROUTES.length
        ? "concurrency: 'small' in lib/settings.ts"
        : `orders.throttle.rate: ${Math.floor(fits / ROUTES.length)} in lib/settings.ts, since ${ROUTES.length} routes share it`,
  };
};
