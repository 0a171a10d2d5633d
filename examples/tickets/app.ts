import { join } from 'node:path';
import { Api, Bundles, developmentSettings, Platform, Service, stackProps } from '@orderly/kit/constructs';
import { simulatedIssuer } from '@orderly/simulator';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { opened } from './contract.js';

const app = new App();
// The simulator plays the assembly of `cdk synth -c simulated=true`. What is deployed trusts the issuer that cdk.json names.
const auth = app.node.tryGetContext('simulated') ? simulatedIssuer.auth : app.node.getContext('auth');
const settings = developmentSettings({ app: { name: 'tickets', roles: ['visitor'] }, auth });
const stack = new Stack(app, 'Tickets', stackProps(settings, 'Tickets', 'help desk'));
const { bus, alarmTopic } = new Platform(stack, 'Platform', { settings });
const common = { settings, bundles: new Bundles(join(import.meta.dirname, 'lambdas')), bus, alarmTopic };
const desk = new Service(stack, 'Desk', { ...common, name: 'desk' });
desk.grantAppend(desk.addEndpoint('Open', { method: 'POST', path: '/tickets' }, 'open-ticket'), 'Ticket');
desk.grantEffect(desk.addConsumer('Assign', { name: 'assign-ticket', subscribesTo: [opened] }), 'Ticket');
new Api(stack, 'Api', { ...common, services: [desk] });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
