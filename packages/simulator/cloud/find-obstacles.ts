import type { Assembly, Resource, Use } from '../assembly/assembly.js';
import { isRun, listUnreadable } from '../assembly/custom-resources.js';
import type { Obstacle } from '../assembly/obstacles.js';
import { findCodeObstacle, isProviderOnly } from '../runtime/function-code.js';
import { findLayers } from '../runtime/layers.js';
import { Policies } from '../services/iam/policies.js';
import { findEffects, INERT } from './inert.js';
import { findUnknownProperties, MODELLED } from './properties.js';

/** Types that neither carry a message nor decide over one, so that a tolerant deployment may leave them out. */
const CARRIES_NOTHING =
  /^AWS::(ApplicationAutoScaling|Athena|Backup|Budgets|CertificateManager|Chatbot|CloudFormation::WaitConditionHandle|CloudFront|CloudTrail|CloudWatch|CodeBuild|CodeDeploy|CodePipeline|CodeStar|EC2|ECR|Glue|IAM|Inspector|KMS|Logs|Oam|Route53|RUM|ResourceGroups|SSM|Synthetics|WAF|WAFv2|XRay)::/;

/** Consequences of a missing model, by the beginning of the type's name. */
const MEANINGS: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::': 'what it is for would not happen at the API',
  'AWS::AppSync::': 'its resolvers would answer nobody',
  'AWS::Cognito::Identity': 'nobody would get credentials of AWS from it',
  'AWS::Cognito::UserPoolIdentityProvider': 'nobody could sign in at this provider',
  'AWS::Cognito::UserPoolUser': 'there would be no such user, or it would be in no such group',
  'AWS::Cognito::': 'what it changes in a user pool would not happen',
  'AWS::Kinesis': 'what is put into it, or read from it, would reach nobody',
  'AWS::SecretsManager::': 'the secret would not be rotated, attached or shared',
  'AWS::StepFunctions::': 'tasks of an activity would not end, and what names a version or alias would start nothing',
};

/** Types whose properties say who gets which message: one that isn't known may change that. */
const ROUTES_MESSAGES =
  /^Custom::AWS$|^AWS::(ApiGateway|ApiGatewayV2|Cognito|Events|Pipes|SNS|SQS|Scheduler|StepFunctions|DynamoDB|Kinesis)::|^AWS::Lambda::(EventSourceMapping|EventInvokeConfig|Permission|Alias|Url)$/;

/**
 * Finds all that stands in the way of playing an assembly, as far as its templates tell. A model may refuse more when it is made
 * (`checkAssembly`).
 */
export const findObstacles = (assembly: Assembly): readonly Obstacle[] => [
  ...assembly.resources.flatMap((resource) => findInResource(resource, assembly)),
  ...assembly.unknownAttributes
    .filter(({ type }) => Object.hasOwn(MODELLED, type))
    .map(({ type, label, attribute }) => ({
      type,
      label,
      what: `attribute ${attribute}`,
      meaning: 'something in the template refers to it, and its value is not known',
      mayBeIgnored: false,
    })),
  ...assembly.unresolved
    .filter(({ type }) => Object.hasOwn(MODELLED, type))
    .map((one) => ({ ...one, meaning: 'the property has no value', mayBeIgnored: false })),
  ...Policies.of(assembly).unread.map(({ holder, what }) => ({
    type: 'AWS::IAM::Policy',
    label: holder,
    what,
    meaning: 'what it allows is denied, and what it denies is allowed',
    mayBeIgnored: true,
  })),
  ...listUnknownParameters(assembly).map((name) => ({
    type: 'AWS::SSM::Parameter',
    label: name,
    what: 'no stack of this assembly has it, or only a later one',
    meaning: 'a template takes a value from it when it is deployed, and that is not known',
    mayBeIgnored: false,
  })),
  ...assembly.unknownImports.map(({ stack, export: of }) => ({
    type: 'AWS::CloudFormation::Stack',
    label: stack,
    what: `it imports ${of}, which no earlier stack of this assembly exports`,
    meaning: 'the value is of another app, and what is built with it is not known',
    mayBeIgnored: false,
  })),
  ...findEffects(assembly),
];

/** Returns the names of parameters whose values are not known, and matter. */
const listUnknownParameters = ({ unknownParameters }: Assembly): readonly string[] => [
  ...new Set(unknownParameters.filter(({ uses }) => uses.some(matters)).map(({ name }) => name)),
];

/**
 * Tells whether a value that isn't known matters where a template uses it. It doesn't in a resource without effect, such as an alarm, and a layer
 * that isn't known is an obstacle of its own.
 */
const matters = ({ type, property }: Use): boolean =>
  !Object.hasOwn(INERT, type) && !(type === 'AWS::Lambda::Function' && property === 'Layers');

function findInResource(resource: Resource, assembly: Assembly): readonly Obstacle[] {
  const { type, label } = resource;
  if (!Object.hasOwn(MODELLED, type) && !Object.hasOwn(INERT, type) && !isRun(resource)) {
    const mayBeIgnored = CARRIES_NOTHING.test(type);
    const known = Object.entries(MEANINGS).find(([beginning]) => type.startsWith(beginning))?.[1];
    const meaning = known ?? (mayBeIgnored ? 'it carries no message' : 'what it would do does not happen');
    return [{ type, label, what: 'no model of this type', meaning, mayBeIgnored }];
  }
  const properties = findUnknownProperties(resource).map((what) => ({
    type,
    label,
    what,
    meaning: 'no model reads this property',
    mayBeIgnored: !ROUTES_MESSAGES.test(type),
  }));
  const unreadable = listUnreadable(resource).map(({ id, attribute }) => ({
    type,
    label,
    what: `attribute ${attribute} of the custom resource ${id}`,
    meaning: 'only variables of functions and properties of custom resources get what a function answers',
    mayBeIgnored: false,
  }));
  const code = type === 'AWS::Lambda::Function' ? findCodeObstacle(resource, assembly) : undefined;
  const layers =
    type !== 'AWS::Lambda::Function' || code !== undefined || isProviderOnly(resource, assembly)
      ? []
      : findLayers(resource, assembly).unknown.map((layer) => ({
          type,
          label,
          what: `the layer ${layer}`,
          meaning: 'its files are not in this assembly: code that needs them cannot be loaded',
          mayBeIgnored: true,
        }));
  return [
    ...properties,
    ...unreadable,
    ...layers,
    ...(code === undefined ? [] : [{ type, label, what: code, mayBeIgnored: false }]),
  ];
}
