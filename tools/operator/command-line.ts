import { readFileSync } from 'node:fs';
import { consoleCommand } from '@orderly/operator/console';
import {
  kitCommands,
  type OperatorCommandLine,
  operatorCommandLine,
  peopleCommands,
} from '@orderly/operator/definitions';
import { APP } from '../../lambdas/app.js';
import { ADVICE } from '../../lambdas/operations/advice.js';
import { OF_ORDER } from '../../lambdas/operations/keys.js';
import { ORDERS_LIST } from '../../lambdas/orders/keys.js';
import { localCommands } from './local.js';
import { orderCommand, ordersCommand, traceCommand } from './order-commands.js';

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

const deployCommand = (environment: string): string => `npx cdk deploy --all -c environment=${environment}`;

/** Orderly's command line: the kit's commands, and what knows orders. Their work is loaded when they run. */
export const ORDERLY: OperatorCommandLine = {
  app: APP.name,
  ...ADVICE,
  version: `orderly ${VERSION}`,
  resolveEndpoint: async (...call) => (await import('./endpoint.js')).resolveEndpoint(...call),
  where: `Where: ORDERLY_ENDPOINT if set (http://host:port, or aws); else for dev a running \`npm start\`, unless --region or
--profile names AWS; for any other environment AWS, with the credentials and region of the shell.`,
  unreachableAdvice: 'sign in to AWS, or set ORDERLY_ENDPOINT, or, for dev on this machine, npm start',
  notDeployedAdvice: (environment) =>
    `${environment === 'dev' ? 'npm start   (here), or ' : ''}${deployCommand(environment)}`,
  deployment: { settings: 'lib/settings.ts', command: deployCommand },
  commands: [
    ordersCommand,
    orderCommand,
    traceCommand,
    ...kitCommands({
      consumer: 'reservations',
      projection: ORDERS_LIST,
      auditShortcuts: { order: OF_ORDER },
      duplicateCheck: async () => (await import('../../lambdas/operations/done-twice.js')).ordersTwiceCheck,
      customers: async () => (await import('../../lambdas/operations/failure-customers.js')).customersOfOrderly,
      service: 'orders',
      eventDemand: async () => (await import('./event-demand.js')).findOrdersDemand,
      status: [
        async (context) => (await import('../../lambdas/operations/orders-status.js')).readOrdersSection(context),
      ],
      aboutSagaIds: "The saga of an order has the order's id.",
    }),
    consoleCommand(async () => (await import('./page-lists.js')).PAGE_LISTS),
    ...peopleCommands(async () => (await import('./people.js')).peopleOfOrderly),
    ...localCommands,
  ],
};

/** Runs one command line. @returns its exit code */
export const run = operatorCommandLine(ORDERLY);
