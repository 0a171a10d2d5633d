/** A cloud assembly in, histories out: the account, its faults, scenarios and searches over them. */

export { Assembly, type TemplateChange } from './assembly/assembly.js';
export type { JsonObject } from './assembly/intrinsics.js';
export type { ApiRequest, ApiResponse } from './aws/api-messages.js';
export type { Answer, Interceptor, PassingCall } from './aws/calls.js';
export type { Fault, FaultKind, FaultPlan, Point } from './aws/faults.js';
export type { LambdaFunction, LogLine, Result } from './aws/lambda.js';
export { AWS_CALLS, type CallTimes, type Load, type MappingLimits } from './aws/load.js';
export type { Message, NewMessage, Queue } from './aws/sqs.js';
export type { ThirdParties, ThirdParty } from './aws/third-parties.js';
export { type Answered, Client, type ClientOptions, type JsonCall, jsonClient, type Reply } from './client/client.js';
export { SimulatedIssuer, simulatedIssuer } from './client/issuer.js';
export { Cloud, type CloudOptions, Deployment, deploymentOf } from './cloud.js';
export { AWS_PARTITIONS, type PartitionLimits } from './dynamodb/throughput.js';
export { durationOf, LocalCloudClient, LocalCloudRefused } from './live/client.js';
export type { LiveStatus } from './live/control.js';
export { LiveCloud } from './live/live-cloud.js';
export { LocalCloud, type LocalCloudOptions } from './live/local-cloud.js';
export { PortInUse } from './live/server.js';
export { StateRefused } from './live/state.js';
export type { HttpRequest, HttpResponse } from './runtime/http.js';
export { Bookmarks } from './search/bookmarks.js';
export { type CampaignOptions, everySingle, seeds } from './search/campaign.js';
export { type ProveOptions, prove } from './search/prove.js';
export { report } from './search/report.js';
export {
  type Conditions,
  type History,
  playSeed,
  playWith,
  type Scenario,
  type SeedOptions,
  type Violation,
} from './search/scenario.js';
export { shrink } from './search/shrink.js';
export { type SinglesOptions, singles } from './search/singles.js';
export { World } from './world/world.js';
