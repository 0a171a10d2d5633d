import type { Assembly, Resource } from './assembly.js';

/**
 * Custom resources of the CDK whose function isn't run, each with the reason.
 * AWS CDK, "Custom::AWS" is `AwsCustomResource`, whose one call is made in the place of its function.
 */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'Custom::CloudwatchLogResourcePolicy': 'lines are collected without it',
  'Custom::LogRetention': 'how long lines are kept',
  'Custom::S3AutoDeleteObjects': 'no bucket is deleted within a history',
  'Custom::VpcRestrictDefaultSG': 'nothing here goes through a network',
};

const isCustomType = (type: string): boolean =>
  type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource';

/** Tells whether custom resources of a type are created by their function. */
export const isRunType = (type: string): boolean =>
  isCustomType(type) && type !== 'Custom::AWS' && !Object.hasOwn(NOT_RUN, type);

export const isCustomResource = ({ type }: Resource): boolean => isCustomType(type);

export const isRun = ({ type }: Resource): boolean => isRunType(type);

/** Returns the custom resources that functions create, in the order of the templates. */
export const listRun = ({ resources }: Assembly): readonly Resource[] => resources.filter(isRun);
