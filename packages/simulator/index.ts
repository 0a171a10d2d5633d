/** A cloud assembly in, histories out: the account, its faults, scenarios and searches over them. */

export { Assembly, type StackSource, type TemplateChange } from './assembly/assembly.js';
export type { JsonObject } from './assembly/intrinsics.js';
export { readStacks, type StackArtifact } from './assembly/manifest.js';
export { AssemblyNotModelled, type Obstacle } from './assembly/obstacles.js';
export { awaitDueWork, type DueWork } from './client/await-due-work.js';
export {
  type AnsweredCall,
  ApiClient,
  type ClientOptions,
  type JsonCall,
  jsonClient,
  type Reply,
} from './client/client.js';
export { SimulatedIssuer, simulatedIssuer } from './client/issuer.js';
export type { InterceptedCall, Interceptor } from './cloud/calls.js';
export { checkAssembly } from './cloud/check-assembly.js';
export { Cloud, Deployment, type DeploymentOptions, loadDeployment } from './cloud/cloud.js';
export type { CloudOptions } from './cloud/cloud-options.js';
export type { OutsideHosts, ProviderFault, ProviderFaultKind, ThirdParty } from './cloud/outside-hosts.js';
export { makeFaulty, ProviderFaultMalformed } from './cloud/provider-faults.js';
export type { Answer } from './cloud/services.js';
export type { ThirdParties } from './cloud/third-parties.js';
export { Account } from './deployments/account.js';
export { type CdkStack, cdkDeploy, cdkDeployAll, cdkDestroyAll, type FailAt } from './deployments/command-line.js';
export type { DeployOptions } from './deployments/deploy-stack.js';
export { differencesOf, type LoadedStack } from './deployments/differences.js';
export type { PropertyChange, Replacement, ReplacementOf } from './deployments/replacements.js';
export type {
  Action,
  Change,
  DeployedStack,
  Outcome,
  PhysicalResource,
  Refusal,
  RefusalKind,
  StackStatus,
} from './deployments/state.js';
export { EventLoop } from './engine/event-loop.js';
export type { Fault, FaultKind, FaultPlan, FaultPoint } from './engine/faults.js';
export { NeverSettles } from './engine/never-settles.js';
export type { AppHistories, HistoriesModule, PlayableComparison, PlayableScenario } from './histories/app-histories.js';
export { listHappenings } from './histories/play.js';
export { LocalCloudClient, LocalCloudRefused, parseDuration } from './live/client.js';
export type { LiveStatus } from './live/control.js';
export { LiveCloud } from './live/live-cloud.js';
export { LocalCloud, type LocalCloudOptions } from './live/local-cloud.js';
export type { PageOptions, PlayableToy } from './live/local-page.js';
export type { PageCaller, PageDocuments } from './live/page-reference.js';
export { PortInUse } from './live/server.js';
export { StateRefused } from './live/state.js';
export { describeSet, listMixedSets, type MixedSet, mixAssembly, type Releases } from './releases/mixed-sets.js';
export type { MessageUnderWay } from './releases/succession.js';
export {
  type Journey,
  type MixedSetReport,
  type MixedSetTrouble,
  playMixedSets,
  type WorkTrouble,
  type WorkTroubleKind,
} from './releases/under-way.js';
export type { HttpRequest, HttpResponse } from './runtime/http.js';
export { Bookmarks } from './search/bookmarks.js';
export { type CampaignOptions, playEverySingleFault, playSeeds } from './search/campaign.js';
export { KINDS } from './search/explain.js';
export type { BrokenHistory, Finding } from './search/findings.js';
export { PROMISES } from './search/promises.js';
export { type CheckScenarioOptions, checkScenario } from './search/prove.js';
export { renderReport } from './search/report.js';
export {
  type Conditions,
  type History,
  playSeed,
  playWithFaults,
  type Scenario,
  type SeedOptions,
  type Violation,
} from './search/scenario.js';
export { type SearchRequestsOptions, searchRequests } from './search/search-requests.js';
export { AppDoesNotAnswer } from './search/send-requests.js';
export { shrink } from './search/shrink.js';
export { playSingleFaults, type SingleFaultOptions } from './search/singles.js';
export { RequestsUnreadable } from './search/stimulus.js';
export type { ApiRequest, ApiResponse } from './services/apigateway/messages.js';
export { AWS_PARTITION_LIMITS, type PartitionLimits } from './services/dynamodb/throughput.js';
export type { AccountQuota } from './services/lambda/concurrency.js';
export { AWS_CALL_TIMES, type CallTimes, type Load, type MappingLimits } from './services/lambda/load.js';
export type { InvocationResult, LambdaFunction, LogLine } from './services/lambda/model.js';
export type { Message, NewMessage, Queue } from './services/sqs/model.js';
