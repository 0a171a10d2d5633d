import { VersionTaken } from '../../patterns/event-store/event-store.js';
import { pauseUpTo } from '../../platform/clock.js';
import { Problem, WriteConflict } from '../../platform/errors.js';
import { endpoint, traceOf } from '../../platform/http.js';
import { versionOf } from '../../platform/if-match.js';
import { logger } from '../../platform/telemetry.js';
import { accountStore, customerIdOf, existing } from './account-store.js';
import { SetCreditLimit } from './contract.js';
import { AccountRefused, setCreditLimit, viewOf } from './domain/account.js';

const TRIES = 5;
const BACKOFF_MS = 20;

/**
 * PUT /accounts/{customerId}/credit-limit: opens the account where there is none. Repeatable by nature: setting what is
 * set writes nothing, also where If-Match names an older version (RFC 9110, 13.1.1), since the first try has succeeded.
 */
export const handler = endpoint({ roles: ['operator'], body: SetCreditLimit }, async (request) => {
  const { body, header, parameter } = request;
  const customerId = customerIdOf(parameter('customerId'));
  const ifMatch = versionOf(header('if-match'));
  const trace = traceOf(request);
  for (let attempt = 1; ; attempt++) {
    const account = await accountStore.load(customerId);
    const events = decided(() => setCreditLimit(account.state, customerId, body.creditLimit));
    if (events.length === 0) return { status: 200, body: existing(account) };
    const version = viewOf(customerId, account.state, account.version)?.version ?? 0;
    if (ifMatch !== undefined && ifMatch !== version) {
      throw new Problem('conflict', `the account is at version ${version}, not ${ifMatch}: read it again`);
    }
    const commit = accountStore.commit(account, events, trace);
    try {
      await accountStore.append(commit);
      logger.info('credit limit set', { version: commit.lastVersion });
      return { status: 200, body: existing(accountStore.after(account, commit)) };
    } catch (error) {
      // The answer was lost, and the SDK's retry met this request's own commit.
      const isOwn = error instanceof VersionTaken && error.existing.trigger === trace.trigger;
      if (isOwn) return { status: 200, body: existing(accountStore.after(account, commit)) };
      if (!(error instanceof VersionTaken) && !(error instanceof WriteConflict)) throw error;
      if (attempt === TRIES) throw new WriteConflict('setting the credit limit', { cause: error });
      await pauseUpTo(BACKOFF_MS * 2 ** attempt);
    }
  }
});

function decided<Events>(decide: () => Events): Events {
  try {
    return decide();
  } catch (error) {
    if (!(error instanceof AccountRefused)) throw error;
    const errors = [{ pointer: '/creditLimit/currency', detail: "expected the account's currency: it is in use" }];
    throw new Problem('invalid-request', 'an account has one currency', { errors }, { cause: error });
  }
}
