import { join } from 'node:path';
import { Api, Bundles, developmentSettings, Platform, Service, stackProps } from '@orderly/kit/constructs';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { opened } from './contract.js';
import { issuer } from './issuer.js';

const app = new App();
const settings = developmentSettings({
  app: { name: 'tickets', roles: ['visitor', 'agent'], operatorRoles: ['agent'] },
  auth: { ...issuer.settings, jwks: issuer.jwks() },
});
const stack = new Stack(app, 'Tickets', stackProps(settings, 'Tickets', 'help desk'));
const { bus, alarmTopic } = new Platform(stack, 'Platform', { settings });
const common = { settings, bundles: new Bundles(join(import.meta.dirname, 'lambdas')), bus, alarmTopic };
const desk = new Service(stack, 'Desk', { ...common, name: 'desk' });
desk.grantAppend(desk.endpoint('OpenTicket', 'POST', '/tickets', 'open-ticket'), 'Ticket');
const assigning = { name: 'desk-assigning', entry: 'on-ticket-opened', hears: [opened] };
desk.grantEffect(desk.consumer('Assigning', assigning), 'Ticket');
new Api(stack, 'Api', { ...common, services: [desk] });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
