import { kitCommands, type OperatorCommandLine, operatorCommandLine, peopleCommands } from '@orderly/kit/operator';
import { APP } from '../../lambdas/app.js';
import { ORDERS_LIST } from '../../lambdas/orders/keys.js';
import { endpointOf } from './endpoint.js';
import { localCommands } from './local.js';
import { orderCommand } from './order.js';
import { peopleOfOrderly } from './people.js';
import { PROGRAM } from './program.js';
import { pageOn } from './runbook.js';

/** Orderly's command line: the kit's commands, and what knows orders. */
export const ORDERLY: OperatorCommandLine = {
  app: APP.name,
  program: PROGRAM,
  endpointOf,
  where: `Where: ORDERLY_ENDPOINT if set (http://host:port, or aws); else for dev a running \`npm start\`; else AWS, with the
credentials and region of the environment.`,
  ifUnreachable: 'sign in to AWS, or set ORDERLY_ENDPOINT, or, for dev on this machine, npm start',
  ifNotDeployed: (environment) =>
    `${environment === 'dev' ? 'npm start   (here), or ' : ''}npx cdk deploy --all -c environment=${environment}`,
  // The aggregates of an order have its id.
  reportOn: (subject) => ['order', subject.slice(subject.indexOf('/') + 1)],
  pageOn,
  commands: [
    orderCommand,
    ...kitCommands({
      consumer: 'reservations',
      projection: ORDERS_LIST,
      aboutSagaIds: "The saga of an order has the order's id.",
    }),
    ...peopleCommands(peopleOfOrderly),
    ...localCommands,
  ],
};

/** Runs one command line. @returns its exit code */
export const run = operatorCommandLine(ORDERLY);
