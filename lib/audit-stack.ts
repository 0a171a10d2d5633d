import { type EnvironmentProps, type Service, stackProps } from '@orderly/kit/constructs';
import { DeliveryAudit } from '@orderly/operator/constructs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.js';

export interface AuditStackProps extends Pick<EnvironmentProps, 'bundles' | 'alarmTopic'> {
  readonly settings: Settings;
  readonly services: readonly Service[];
}

/** The delivery audit over all services. Whoever deletes this stack loses watermarks, and no data. */
export class AuditStack extends Stack {
  readonly audit: DeliveryAudit;

  constructor(scope: Construct, id: string, props: AuditStackProps) {
    super(scope, id, stackProps(props.settings, id, 'delivery audit of all services'));
    this.audit = new DeliveryAudit(this, 'Default', props);
  }
}
