import { type App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { settingsFor } from '../../../lib/settings.js';
import { acknowledgeCompliance } from '../../../packages/kit/base/acknowledge.js';
import {
  FUNCTION_ACKNOWLEDGEMENTS,
  type ServiceContext,
} from '../../../packages/kit/base/service-function.construct.js';
import { batch, linearBackoff, sequential } from '../../../packages/kit/inbox/modes.construct.js';
import { Service, type ServiceInboxProps } from '../../../packages/kit/service/service.construct.js';
import { packingService } from '../../kit/inbox/example.collected.construct.js';
import { PARCELS, parcels, SALES, STEPS, sales, steps } from './contract.js';

/** Handlers throw errors with texts of people. */
const settings = { ...settingsFor('dev'), failureTexts: 'safe' as const };

/** A service that has an inbox of each mode, and one that collects several events before its inbox begins. */
export class InboxesStack extends Stack {
  constructor(app: App, bundles: ServiceContext['bundles'], props: Partial<ServiceInboxProps> = {}) {
    super(app, 'Inboxes');
    const bus = new EventBus(this, 'Bus');
    const alarmTopic = new Topic(this, 'Alarms', { enforceSSL: true });
    acknowledgeCompliance(this, { ...FUNCTION_ACKNOWLEDGEMENTS, SNSEncryptedKMS: 'A topic of tests.' });
    const desk = new Service(this, 'Default', { settings, bundles, bus, alarmTopic, name: 'desk' });
    const runner = desk.addInbox('Parcels', {
      name: PARCELS.name,
      entry: 'on-parcel',
      subscribesTo: [parcels],
      timeout: Duration.minutes(15),
      attempts: 4,
      parallel: 4,
      backoff: linearBackoff({ base: Duration.seconds(2), cap: Duration.minutes(5) }),
      ...props,
    });
    runner.grantItems(desk.table, ['UpdateItem'], 'Parcel#');
    const stepsRunner = desk.addInbox('Steps', {
      name: STEPS.name,
      entry: 'on-step',
      subscribesTo: [steps],
      mode: sequential({ gapAlarmAfter: Duration.minutes(10) }),
      attempts: 4,
      parallel: 4,
      backoff: linearBackoff({ base: Duration.seconds(30), cap: Duration.minutes(5) }),
      sweepEvery: Duration.minutes(2),
    });
    stepsRunner.grantItems(desk.table, ['UpdateItem'], 'Till#');
    const salesRunner = desk.addInbox('Sales', {
      name: SALES.name,
      entry: 'on-sale',
      subscribesTo: [sales],
      mode: batch({ closeAfter: Duration.minutes(1) }),
      attempts: 4,
      pageSize: 2,
      backoff: linearBackoff({ base: Duration.seconds(30), cap: Duration.minutes(5) }),
    });
    salesRunner.grantItems(desk.table, ['UpdateItem'], 'Sale#', 'Report#');
    packingService(this, { settings, bundles, bus, alarmTopic });
    new CfnOutput(this, 'BusName', { value: bus.eventBusName });
  }
}
