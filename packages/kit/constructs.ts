/** Everything that belongs to deploy time. Functions never import it: their bundles would hold the CDK. */
export { eventSource } from './aws/app-names.js';
export { Env } from './aws/environment.js';
export { Metric } from './aws/metric-names.js';
export { acknowledgeCompliance, acknowledgeWildcard } from './base/acknowledge.js';
export { type AlarmRoutes, routeAlarms, type Severity } from './base/alarm-routes.js';
export {
  type AlarmProps,
  alarm,
  alarmOnErrors,
  alarmOnNone,
  alarmOnOldest,
  alarmOnSilence,
  alarmOnVisible,
  serviceMetric,
} from './base/alarms.construct.js';
export { Bundles, UnknownEntry } from './base/bundles.js';
export { addObjective, type ObjectiveProps } from './base/burn-rate.construct.js';
export type { CanarySettings } from './base/canary-settings.js';
export { checkDeployedWindow, type DeployedWindow } from './base/dedupe-window.js';
export type { AnyBus, AnyTable } from './base/interfaces.js';
export { keepExport } from './base/kept-exports.js';
export { pinLogicalId } from './base/logical-ids.js';
export { FUNCTION_MEMORY, type FunctionKind, type MemorySettings } from './base/memory-settings.js';
export { metricsNamespace } from './base/metrics-namespace.js';
export { type ConsumerDescription, type FunctionDescription, Output, servicePrefixes } from './base/outputs.js';
export {
  FUNCTION_ACKNOWLEDGEMENTS,
  type ItemAction,
  type ServiceContext,
  ServiceFunction,
  type ServiceFunctionProps,
} from './base/service-function.construct.js';
export {
  type AppSettings,
  type AuthSettings,
  checkTraces,
  type DedupeWindowEntry,
  type DedupeWindowSetting,
  type DomainSettings,
  developmentSettings,
  type EnvironmentSettings,
  type FirewallSettings,
  type MonthlyBudget,
  SettingsError,
} from './base/settings.js';
export { stackProps } from './base/stack-props.js';
export { acknowledgeNoRestore, addPeopleIndex, recordsTable, tableDefaults } from './base/tables.construct.js';
export type { TracesSettings } from './base/traces-settings.js';
export { Api, type ApiProps, publicRoute, type Route, tokenAuthorizer } from './http/api.construct.js';
export {
  IdempotentConsumer,
  type IdempotentConsumerProps,
} from './idempotent-consumer/idempotent-consumer.construct.js';
export { Inbox, type InboxOptions, type InboxProps } from './inbox/inbox.construct.js';
export { findInboxFaults, type InboxRetries, MAX_PAGE_SIZE } from './inbox/inbox-faults.construct.js';
export {
  type BackoffProps,
  type BatchProps,
  batch,
  exponentialBackoff,
  linearBackoff,
  type Mode,
  type SequentialProps,
  sequential,
  single,
} from './inbox/modes.construct.js';
export type { HotKeySettings } from './lane/contract.js';
export { Lane, type LaneProps } from './lane/lane.construct.js';
export { Outbox, type OutboxProps } from './outbox/outbox.construct.js';
export { PersonalKeys, type PersonalKeysProps } from './personal-data/personal-keys.construct.js';
export { Backup, type BackupProps } from './service/backup.construct.js';
export type { ServiceGraph } from './service/dashboard.construct.js';
export type { ListenerProps } from './service/listener.construct.js';
export { Platform, type PlatformProps } from './service/platform.construct.js';
export {
  type EnvironmentProps,
  type ProjectionProps,
  Service,
  type ServiceConsumerProps,
  type ServiceInboxProps,
  type ServiceProps,
} from './service/service.construct.js';
export type { LaneListenerProps, SharedLaneProps } from './service/service-lanes.construct.js';
export { Timers, type TimersProps } from './timers/timers.construct.js';
export { WEBHOOK_RETRIES } from './webhooks/retries.construct.js';
