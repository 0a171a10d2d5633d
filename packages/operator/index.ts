/**
 * Commands of an operator's command line, for any app of the kit. They run on a person's machine; those that only read also in
 * the functions of the operator's API.
 */

// Functions by which an app's own commands read its tables.
export { secondsBetween } from '@orderly/kit/internal/aws/clock.js';
export { smallestWindow } from '@orderly/kit/internal/aws/dedupe-window.js';
export { parseIdTime } from '@orderly/kit/internal/aws/ids.js';
export type { FunctionDescription } from '@orderly/kit/internal/base/outputs.js';
export { recordKey, relayConsumer } from '@orderly/kit/internal/failures/failure-records.js';
export { Commit, commitKey, firstVersionOf } from '@orderly/kit/internal/messages/commit.js';
export { readEvent } from '@orderly/kit/internal/messages/contract.js';
export { aggregateKey } from '@orderly/kit/internal/messages/keys.js';
export { parseVersions, pointerKey, versionedKey } from '@orderly/kit/internal/projection/versions.js';
export { timerIdOf } from '@orderly/kit/internal/saga/contract.js';
export {
  answerAudit,
  answerAuditLog,
  answerCommand,
  answerFailureGroups,
  answerStatus,
  type OperatorAnswer,
} from './api/answers.js';
export { type AppAdvice, functionContext } from './api/context.js';
export { type AttemptLine, parseAttemptLine } from './attempts/attempt-lines.js';
export {
  type Attempt,
  type AttemptCounts,
  attemptKey,
  countAttempts,
  describeAttempt,
  describeAttempts,
  findAttempts,
  settleStored,
} from './attempts/attempts.js';
export {
  type AttemptReader,
  createAttemptReader,
  type FoundAttempts,
} from './attempts/read-attempts.js';
export {
  type Delivery as SentDelivery,
  deliveryRecordKeys as deliveryKeysOf,
  expectedDeliveries,
  findDeliveryRecord,
  type RecordLookup,
} from './audit/deliveries.js';
export { type DuplicateCheck, type DuplicateEffect, describeDuplicate } from './audit/duplicate-check.js';
export { publishedMessages } from './audit/published-messages.js';
export { auditSkippedTime } from './auditor/audit-skipped-time.js';
export type { PlannedResource } from './before/assembly.js';
export type { FindEventDemand } from './before/before.js';
export type { EventDemand } from './before/checks.js';
export { operatorCommand } from './cli/command.js';
export type { CommandContext, Incident } from './cli/context.js';
export { Exit, OperatorError, RequestRefused } from './cli/errors.js';
export type { Outcome } from './cli/outcome.js';
export { type OperatorCommandLine, operatorCommandLine } from './cli/run.js';
export { cutToWidth, fitToTerminal, renderTable, terminalWidth } from './cli/table.js';
export { alignColumns, commandFormatter, formatDuration, pluralize } from './cli/text-format.js';
export { openTerminal, type Screen, watchOutcome } from './cli/watch.js';
export { kitCommands } from './commands/kit-commands.js';
export { peopleCommands } from './commands/people.js';
export { type Clock, clientConfig, currentTime, type Endpoint, endpointClock } from './deployment/endpoint.js';
export { parseFunctions } from './deployment/functions.js';
export { awsRegion } from './deployment/region.js';
export {
  createRelayReader,
  judgePublication,
  type Publication,
  type RelayReader,
  type Relays,
  readRelays,
} from './deployment/relays.js';
export { type Listener, listListeners, parseServices, type Service } from './deployment/services.js';
export { readStacks, type StackOutputs, stackPrefix } from './deployment/stacks.js';
export type { CustomerSource } from './groups/customers.js';
export {
  type DataContext,
  findKeysByPerson,
  type PersonAggregates,
  type PersonalDataSource,
} from './people/personal-data.js';
export { readCommits, readCommitsSince } from './records/commits.js';
export { type ConsumerRecord, describeReason, readRecord, readRecords } from './records/consumer-records.js';
export {
  type FeedEntry,
  MAX_CLOCK_SKEW_MS,
  type NewestFeedEntries,
  readCommitsAt,
  readFeed,
  readNewestFeedEntries,
} from './records/feed.js';
export { LOCATION_RULES, listBacklogs, locateRecord, type MessageLocation } from './records/message-locations.js';
export { sagaToJson } from './sagas/saga-show.js';
export { describeSaga, describeStepDetails, isHeld, isLate, isWaiting } from './sagas/saga-text.js';
export { foldSaga, listSagaKinds, type Saga } from './sagas/sagas.js';
export type { Problem } from './status/problems.js';
export type { StatusSection } from './status/report.js';
export { type StatusSectionReader, showStatus } from './status/status.js';
