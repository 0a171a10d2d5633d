import type { Json, JsonObject } from '../assembly/intrinsics.js';

/** Properties by which a service refuses to delete a resource. Source of each: its page in the CloudFormation Template Reference. */
const PROTECTED: Readonly<Record<string, (properties: JsonObject) => boolean>> = {
  'AWS::Cognito::UserPool': ({ DeletionProtection }) => DeletionProtection === 'ACTIVE',
  'AWS::DynamoDB::Table': ({ DeletionProtectionEnabled }) => isTrue(DeletionProtectionEnabled),
  'AWS::DynamoDB::GlobalTable': ({ Replicas }) =>
    ((Replicas as readonly JsonObject[] | undefined) ?? []).some(({ DeletionProtectionEnabled }) =>
      isTrue(DeletionProtectionEnabled),
    ),
  'AWS::Logs::LogGroup': ({ DeletionProtectionEnabled }) => isTrue(DeletionProtectionEnabled),
  'AWS::RDS::DBCluster': ({ DeletionProtection }) => isTrue(DeletionProtection),
  'AWS::RDS::DBInstance': ({ DeletionProtection }) => isTrue(DeletionProtection),
};

/** Types that are not deleted while they have contents: S3 answers BucketNotEmpty, Backup a vault with recovery points. */
const NOT_WITH_CONTENTS: readonly string[] = ['AWS::S3::Bucket', 'AWS::Backup::BackupVault', 'AWS::ECR::Repository'];

/** Returns why a service refuses to delete a resource, or undefined if it deletes it. @param contents number of what it holds */
export function whyNotDeleted(type: string, properties: JsonObject, contents: number): string | undefined {
  if (PROTECTED[type]?.(properties)) return 'it is protected from deletion';
  return contents > 0 && NOT_WITH_CONTENTS.includes(type) ? 'it is not empty' : undefined;
}

const isTrue = (value: Json | undefined): boolean => value === true || value === 'true';
