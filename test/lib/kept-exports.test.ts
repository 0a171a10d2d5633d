import { type App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { keepExport } from '../../packages/kit/base/kept-exports.js';
import { developmentSettings } from '../../packages/kit/base/settings.js';
import { stackProps } from '../../packages/kit/base/stack-props.js';
import { Api, type ApiProps } from '../../packages/kit/http/api.construct.js';
import { Platform } from '../../packages/kit/service/platform.construct.js';
import { type EnvironmentProps, Service } from '../../packages/kit/service/service.construct.js';
import { type Json, newApp, noCode } from '../support/environments.js';

const settings = developmentSettings({
  app: { name: 'tickets', roles: ['agent'] },
  auth: { issuer: 'https://login.example.com', audience: 'tickets' },
});

/** A service and its API in stacks of their own, as in an app whose services are deployed one after the other. */
function desk(declare: (service: Service) => void): { app: App; deskStack: Stack; apiStack: Stack; props: ApiProps } {
  const app = newApp();
  const stack = (id: string) => new Stack(app, id, stackProps(settings, id, id));
  const deskStack = stack('Desk');
  const { bus, alarmTopic } = new Platform(stack('Platform'), 'Default', { settings });
  const common: EnvironmentProps = { settings, bundles: noCode, bus, alarmTopic };
  const service = new Service(deskStack, 'Default', { ...common, name: 'desk' });
  declare(service);
  const apiStack = stack('Api');
  const props = { ...common, services: [service] };
  new Api(apiStack, 'Api', props);
  return { app, deskStack, apiStack, props };
}

const open = { method: 'POST', path: '/tickets' } as const;
const close = { method: 'DELETE', path: '/tickets/{ticketId}' } as const;

const outputsOf = (stack: Stack): Json =>
  Object.fromEntries(
    Object.entries<Json>(Template.fromStack(stack).toJSON().Outputs).filter(([, { Export }]) => Export !== undefined),
  );
const closeIn = (outputs: Json) => Object.keys(outputs).filter((key) => key.includes('CloseTicket'));

test('a retired endpoint keeps the function and the export of its route, by the same names and with the same value', () => {
  const before = desk((service) => {
    service.addEndpoint('OpenTicket', open, 'desk/open-ticket');
    service.addEndpoint('CloseTicket', close, 'desk/close-ticket');
  });
  const after = desk((service) => {
    service.addEndpoint('OpenTicket', open, 'desk/open-ticket');
    service.addRetiredEndpoint('CloseTicket', 'desk/close-ticket');
  });
  const [served, retired] = [outputsOf(before.deskStack), outputsOf(after.deskStack)];
  expect(closeIn(served)).toHaveLength(1);
  expect(retired).toEqual(served);
  const resources = (stack: Stack) => Template.fromStack(stack).toJSON().Resources;
  expect(resources(after.deskStack)).toEqual(resources(before.deskStack));
  const api = JSON.stringify(Template.fromStack(after.apiStack).toJSON());
  expect(api).not.toContain('CloseTicket');
  expect(after.props.services.flatMap(({ routes }) => routes).map(({ path }) => path)).toEqual(['/tickets']);
});

test('without it the export vanishes with its route, which CloudFormation refuses while the API imports it', () => {
  const { deskStack } = desk((service) => service.addEndpoint('OpenTicket', open, 'desk/open-ticket'));
  expect(closeIn(outputsOf(deskStack))).toEqual([]);
});

test('a route that gets another path keeps its function, so it needs one release only', () => {
  const moved = (path: string) =>
    desk((service) => service.addEndpoint('CloseTicket', { ...close, path }, 'desk/close-ticket'));
  expect(outputsOf(moved('/tickets/{ticketId}').deskStack)).toEqual(outputsOf(moved('/closed/{ticketId}').deskStack));
});

test('synth refuses an export that is kept although a stack imports it', () => {
  const { app } = desk((service) => {
    const handler = service.addEndpoint('CloseTicket', close, 'desk/close-ticket');
    keepExport(Stack.of(service), handler.function.functionArn);
  });
  expect(() => app.synth()).toThrow(
    /\[Desk\] the export 'tickets-dev-Desk:ExportsOutputFnGetAttCloseTicket\w+' is kept, although Api still imports it/,
  );
});

test('synth accepts an export that nobody imports any more', () => {
  const { app } = desk((service) => {
    service.addEndpoint('OpenTicket', open, 'desk/open-ticket');
    service.addRetiredEndpoint('CloseTicket', 'desk/close-ticket');
  });
  expect(() => app.synth()).not.toThrow();
});
