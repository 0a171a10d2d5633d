/**
 * Commands of an operator's command line, for any app of the kit. They run on a person's machine; those that only read also in
 * the functions of the operator's API.
 */

// Functions by which an app's own commands read its tables.
export { secondsBetween } from '../aws/clock.js';
export { smallestWindow } from '../aws/dedupe-window.js';
export { timeOfId } from '../aws/ids.js';
export { recordKey, relayConsumer } from '../failures/failure-records.js';
export { Commit, commitKey, firstVersionOf } from '../messages/commit.js';
export { readEvent } from '../messages/contract.js';
export { aggregateKey } from '../messages/keys.js';
export { inVersion, pointerKey, versionsIn } from '../projection/versions.js';
export { timerIdOf } from '../saga/contract.js';
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
export { operatorCommand } from './command.js';
export { kitCommands } from './commands/kit-commands.js';
export { peopleCommands } from './commands/people.js';
export { readCommits, readCommitsSince } from './commits.js';
export type { CommandContext, Trouble } from './context.js';
export { type Clock, clientConfig, clockAt, type Endpoint, timeAt } from './endpoint.js';
export { Exit, OperatorError, RequestRefused } from './errors.js';
export type { CustomerSource } from './failure-customers.js';
export {
  CLOCKS_DIFFER_MS,
  type FeedEntry,
  type NewestOfFeed,
  readCommitsAt,
  readFeed,
  readNewestOfFeed,
} from './feed.js';
export { functionsIn } from './functions.js';
export type { Outcome } from './outcome.js';
export type { FunctionDescription } from './outputs.js';
export { type AggregatesOfPerson, type DataContext, keysByPerson, type PeopleOfApp } from './people.js';
export { backlogsOf, PLACES, type Place, placeOfRecord } from './places.js';
export { type ConsumerRecord, readRecord, readRecords, reasonOf } from './records.js';
export { awsRegion } from './region.js';
export { type AskRelays, type Publication, publicationBy, type Relays, readRelays, relaysAt } from './relays.js';
export { type OperatorCommandLine, operatorCommandLine } from './run.js';
export { summaryOf } from './saga-show.js';
export { detailsOf, isHeld, isLate, isWaiting, sagaWords } from './saga-words.js';
export { type Saga, sagaIn, sagaKindsOf } from './sagas.js';
export { type Listener, listenersOf, type Service, servicesIn } from './services.js';
export { readStacks, type StackOutputs, stackPrefix } from './stacks.js';
export type { Problem } from './status/judge.js';
export type { StatusSection } from './status/report.js';
export { type ReadSection, showStatus } from './status/status.js';
export { fitted, table } from './table.js';
export { aligned, commandTextOf, duration, plural } from './text.js';
export { type Screen, terminal, watched } from './watch.js';
