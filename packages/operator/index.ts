/**
 * Commands of an operator's command line, for any app of the kit. They run on a person's machine; those that only read also in
 * the functions of the operator's API.
 */

// Functions by which an app's own commands read its tables.
export { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
export { smallestWindow } from '@orderly/kit/internal/aws/dedupe-window.js';
export { timeOfId } from '@orderly/kit/internal/aws/ids.js';
export type { FunctionDescription } from '@orderly/kit/internal/base/outputs.js';
export { recordKey, relayConsumer } from '@orderly/kit/internal/failures/failure-records.js';
export { Commit, commitKey, firstVersionOf } from '@orderly/kit/internal/messages/commit.js';
export { readEvent } from '@orderly/kit/internal/messages/contract.js';
export { aggregateKey } from '@orderly/kit/internal/messages/keys.js';
export { inVersion, pointerKey, versionsIn } from '@orderly/kit/internal/projection/versions.js';
export { timerIdOf } from '@orderly/kit/internal/saga/contract.js';
export {
  answerAudit,
  answerAuditLog,
  answerFailureGroups,
  answerOf,
  answerStatus,
  type OperatorAnswer,
} from './api/answers.js';
export { type AdvisingApp, contextOfFunction } from './api/context.js';
export {
  type Delivery as SentDelivery,
  deliveriesOf,
  keysOf as deliveryKeysOf,
  type RecordAt,
  recordOf,
} from './audit/deliveries.js';
export { messagesOf } from './audit/expected.js';
export { type DoneTwice, type TwiceCheck, twiceWords } from './audit/twice.js';
export { auditSkipped } from './auditor/audit-skipped.js';
export { operatorCommand } from './cli/command.js';
export type { CommandContext, Trouble } from './cli/context.js';
export { Exit, OperatorError, RequestRefused } from './cli/errors.js';
export type { Outcome } from './cli/outcome.js';
export { type OperatorCommandLine, operatorCommandLine } from './cli/run.js';
export { fitted, table } from './cli/table.js';
export { aligned, commandTextOf, duration, plural } from './cli/text.js';
export { type Screen, terminal, watched } from './cli/watch.js';
export { kitCommands } from './commands/kit-commands.js';
export { peopleCommands } from './commands/people.js';
export { type Clock, clientConfig, clockAt, type Endpoint, timeAt } from './deployment/endpoint.js';
export { functionsIn } from './deployment/functions.js';
export { awsRegion } from './deployment/region.js';
export {
  type AskRelays,
  type Publication,
  publicationBy,
  type Relays,
  readRelays,
  relaysAt,
} from './deployment/relays.js';
export { type Listener, listenersOf, type Service, servicesIn } from './deployment/services.js';
export { readStacks, type StackOutputs, stackPrefix } from './deployment/stacks.js';
export type { CustomerSource } from './groups/customers.js';
export { type AggregatesOfPerson, type DataContext, keysByPerson, type PeopleOfApp } from './people/people.js';
export { readCommits, readCommitsSince } from './records/commits.js';
export {
  CLOCKS_DIFFER_MS,
  type FeedEntry,
  type NewestOfFeed,
  readCommitsAt,
  readFeed,
  readNewestOfFeed,
} from './records/feed.js';
export { backlogsOf, PLACES, type Place, placeOfRecord } from './records/places.js';
export { type ConsumerRecord, readRecord, readRecords, reasonOf } from './records/records.js';
export { summaryOf } from './sagas/saga-show.js';
export { detailsOf, isHeld, isLate, isWaiting, sagaWords } from './sagas/saga-words.js';
export { type Saga, sagaIn, sagaKindsOf } from './sagas/sagas.js';
export type { Problem } from './status/judge.js';
export type { StatusSection } from './status/report.js';
export { type ReadSection, showStatus } from './status/status.js';
