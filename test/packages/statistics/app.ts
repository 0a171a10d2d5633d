import { join } from 'node:path';
import { Bundles, developmentSettings, Platform, Service, stackProps } from '@orderly/kit/constructs';
import { App, Stack } from 'aws-cdk-lib';
import { opened } from './contract.js';

const settings = developmentSettings({
  app: { name: 'tickets', roles: ['visitor'] },
  auth: { issuer: 'https://login.example.com', audience: 'tickets' },
});
const stack = new Stack(new App(), 'Tickets', stackProps(settings, 'Tickets', 'statistics of the help desk'));
const { bus, alarmTopic } = new Platform(stack, 'Platform', { settings });
const bundles = new Bundles(join(import.meta.dirname, 'lambdas'));
const statistics = new Service(stack, 'Statistics', { settings, bundles, bus, alarmTopic, name: 'statistics' });
const counting = statistics.addConsumer('Counting', {
  name: 'counting',
  entry: 'count-opened',
  subscribesTo: [opened],
});
counting.grantItems(statistics.table, ['UpdateItem'], 'Count#');
