/**
 * Types whose resources are not made again from a template: what is in them is lost with them, or others outside the application know
 * them.
 */
const KEPT: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::RestApi': 'the address that clients call',
  'AWS::Backup::BackupVault': 'recovery points',
  'AWS::Cognito::UserPool': 'users',
  'AWS::DynamoDB::GlobalTable': 'items',
  'AWS::DynamoDB::Table': 'items',
  'AWS::EFS::FileSystem': 'files',
  'AWS::Events::Archive': 'archived events',
  'AWS::KMS::Key': 'the key of what it has encrypted',
  'AWS::Kinesis::Stream': 'records',
  'AWS::RDS::DBCluster': 'rows',
  'AWS::RDS::DBInstance': 'rows',
  'AWS::S3::Bucket': 'objects',
  'AWS::SQS::Queue': 'messages',
  'AWS::SecretsManager::Secret': 'a secret',
};
/** Kept where somebody reads them after the fact. */
const KEPT_IN_PROD: Readonly<Record<string, string>> = { 'AWS::Logs::LogGroup': 'log entries' };

/** Returns what a resource of the type holds that a deployment must not lose, or undefined. */
export const dataOf = (type: string, environment: string): string | undefined =>
  KEPT[type] ?? (environment === 'dev' ? undefined : KEPT_IN_PROD[type]);

/** Whether a type holds lines for readers: nothing writes to a group whose functions have another one. */
export const isLog = (type: string): boolean => Object.hasOwn(KEPT_IN_PROD, type);
