import type { Json, JsonObject } from '../assembly/intrinsics.js';
import { Account } from '../deployments/account.js';
import type { CdkStack } from '../deployments/command-line.js';
import type { ReplacementOf } from '../deployments/replacements.js';
import type { Outcome } from '../deployments/state.js';

/** A stack of a test. @param resources by logical id */
export const stackOf = (
  name: string,
  resources: Readonly<Record<string, Json>>,
  { outputs = {}, terminationProtection = false }: { outputs?: JsonObject; terminationProtection?: boolean } = {},
): CdkStack => ({ name, template: { Resources: resources, Outputs: outputs }, terminationProtection });

export const exportOf = (name: string, value: Json): Json => ({ Value: value, Export: { Name: name } });

/** Replacements as tests know them: a topic's display name replaces it perhaps, and its other properties as their names say. */
const KNOWN: Readonly<Record<string, ReturnType<ReplacementOf>>> = {
  Name: 'always',
  TopicName: 'always',
  FifoTopic: 'always',
  DisplayName: 'never',
  KeySchema: 'always',
  GlobalSecondaryIndexes: 'never',
  Perhaps: 'perhaps',
  EventBusName: 'always',
};

export const accountOf = (): Account => new Account(({ property }) => KNOWN[property] ?? 'unknown');

/** Returns the kinds of what refused, and the state of the stack. */
export const ended = ({ status, refusals }: Outcome): readonly (string | undefined)[] => [
  status,
  ...refusals.map(({ kind }) => kind),
];

/** Returns what happened to resources: `delete Bus`. */
export const happened = ({ changes }: Outcome): readonly string[] =>
  changes.map(({ action, logicalId }) => `${action} ${logicalId}`);
