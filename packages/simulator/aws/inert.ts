/**
 * Resource types that have no effect in a history, each with the reason. Where that hangs on their properties, `unheard.ts` checks it. Any other type without a model is an error.
 */
export const INERT: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'for statistics of the CDK only',
  'AWS::Backup::BackupPlan': 'copies are made and restored by AWS, and no history restores one',
  'AWS::Backup::BackupSelection': 'as the plan',
  'AWS::Backup::BackupVault': 'as the plan',
  'AWS::CloudWatch::Alarm': 'nobody looks at alarms in a history; what they would show is asked of the models',
  'AWS::CloudWatch::Dashboard': 'nobody looks',
  'AWS::Logs::LogGroup': 'lines are collected without it',
  'AWS::SNS::Topic': 'reaches people only, which is checked',
  'AWS::SNS::TopicPolicy': 'as the topic',
  'AWS::SNS::Subscription': 'as the topic',
  'AWS::Events::Archive': 'replays are made by hand, from what the bus has taken',
  'AWS::ApiGateway::Account': "API Gateway's right to write logs",
  'AWS::ApiGateway::Deployment': 'a snapshot of routes that are all there from the beginning',
  'AWS::WAFv2::WebACL': 'refuses what no scenario sends',
  'AWS::WAFv2::WebACLAssociation': 'as the ACL',
  'AWS::WAFv2::LoggingConfiguration': 'as the ACL',
};
