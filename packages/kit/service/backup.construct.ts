import { Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { appTitle } from '../aws/app-names.js';
import { nameWithStackId } from '../base/physical-names.js';
import { removalPolicyOf } from '../base/retention.js';
import type { EnvironmentSettings } from '../base/settings.js';
import { backupTag } from '../base/tables.construct.js';

export interface BackupProps {
  readonly settings: EnvironmentSettings;
  readonly backup: Exclude<EnvironmentSettings['backup'], false>;
}

/** "Backup vault names are case sensitive. Must contain from 2 to 50 alphanumeric characters" (AWS Backup, CreateBackupVault). */
const MAX_VAULT_NAME = 50;

/**
 * Daily copies of each table that has the application's backup tag, in addition to point-in-time recovery. A permission to
 * delete tables does not include these copies.
 *
 * The vault is locked in governance mode: only a principal with the permission to unlock it may delete a copy before its
 * retention ends. The account must have opted in to DynamoDB in AWS Backup.
 *
 * Vault and key remain when the stack is deleted.
 */
export class Backup extends Construct {
  constructor(scope: Construct, id: string, { settings, backup }: BackupProps) {
    super(scope, id);
    const { app, environment } = settings;
    const key = new Key(this, 'Key', {
      description: `${appTitle(app.name)} (${environment}): encrypts the copies of tables`,
      enableKeyRotation: true,
      removalPolicy: removalPolicyOf({ keepsData: true }),
    });
    const vault = new BackupVault(this, 'Vault', {
      backupVaultName: nameWithStackId([app.name, environment], MAX_VAULT_NAME),
      encryptionKey: key,
      lockConfiguration: { minRetention: backup.retention },
      removalPolicy: removalPolicyOf({ keepsData: true }),
    });
    const plan = new BackupPlan(this, 'Plan', { backupVault: vault });
    plan.addRule(
      new BackupPlanRule({
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter: backup.retention,
      }),
    );
    plan.addSelection('Tables', {
      resources: [BackupResource.fromTag(backupTag(settings), environment)],
      role: this.createRole(key),
      disableDefaultBackupPolicy: true,
    });
  }

  private createRole(key: Key): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSBackupServiceRolePolicyForBackup')],
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'],
        resources: [key.keyArn],
      }),
    );
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason: 'AWS maintains the permissions that AWS Backup needs for a copy. Only that service may assume the role.',
    });
    return role;
  }
}
