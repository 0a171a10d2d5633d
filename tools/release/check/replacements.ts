import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import type { Replacement, ReplacementOf } from '../../../packages/simulator/deployments/replacements.js';

const known = new Map<string, Replacement>();

/**
 * Answers what a change of a property does to its resource, as `cdk diff` says it without an account: by the specification of
 * CloudFormation's resources in `@aws-cdk/aws-service-spec`. What that doesn't contain is unknown.
 */
export const replacementOf: ReplacementOf = ({ type, property }) => {
  const key = `${type} ${property}`;
  const answer = known.get(key) ?? ask(type, property);
  known.set(key, answer);
  return answer;
};

function ask(type: string, property: string): Replacement {
  const template = (value: string) => ({ Resources: { One: { Type: type, Properties: { [property]: value } } } });
  const { resources } = fullDiff(template('before'), template('after'));
  switch (resources.get('One').propertyUpdates[property]?.changeImpact) {
    case ResourceImpact.WILL_REPLACE:
      return 'always';
    case ResourceImpact.MAY_REPLACE:
      return 'perhaps';
    case ResourceImpact.WILL_UPDATE:
      return 'never';
    default:
      return 'unknown';
  }
}
