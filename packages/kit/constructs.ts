/** Everything that belongs to deploy time. Functions never import it: their bundles would hold the CDK. */
export { sourceOf } from './aws/app-names.js';
export { Env } from './aws/environment.js';
export { Metric } from './aws/metric-names.js';
export { type Route, ServiceApi, type ServiceApiProps } from './http/service-api.construct.js';
export {
  IdempotentConsumer,
  type IdempotentConsumerProps,
} from './idempotent-consumer/idempotent-consumer.construct.js';
export { Outbox, type OutboxProps } from './outbox/outbox.construct.js';
export { PersonalKeys, type PersonalKeysProps } from './personal-data/personal-keys.construct.js';
export { acknowledgeCompliance, acknowledgeWildcard } from './service/acknowledge.js';
export {
  type AlarmProps,
  alarm,
  alarmOnErrors,
  alarmOnOldest,
  alarmOnSilence,
  alarmOnVisible,
  serviceMetric,
} from './service/alarms.construct.js';
export { Backup, type BackupProps } from './service/backup.construct.js';
export { Bundles, UnknownEntry } from './service/bundles.js';
export type { AnyBus, AnyTable } from './service/interfaces.js';
export {
  type ItemAction,
  metricsNamespace,
  OF_EVERY_FUNCTION,
  type ServiceContext,
  ServiceFunction,
  type ServiceFunctionProps,
} from './service/service-function.construct.js';
export {
  type ConsumerDescription,
  type EnvironmentStackProps,
  type ProjectionProps,
  ServiceStack,
  type ServiceStackProps,
  stackProps,
  tokenEnvironment,
} from './service/service-stack.js';
export {
  type AppSettings,
  type AuthSettings,
  type EnvironmentSettings,
  type FirewallSettings,
  SettingsError,
} from './service/settings.js';
export { acknowledgeNoRestore, addPeopleIndex, pinLogicalId, tableDefaults } from './service/tables.construct.js';
export { Timers, type TimersProps } from './timers/timers.construct.js';
