import type { CommandContext } from '../../packages/operator/cli/context.js';
import { Exit } from '../../packages/operator/cli/errors.js';
import type { Outcome } from '../../packages/operator/cli/outcome.js';

const showSeat = async ({ services }: CommandContext, { seatId }: { readonly seatId: string }): Promise<Outcome> => ({
  exitCode: Exit.OK,
  text: `${seatId}: free, as ${services.length} service says`,
  json: { seatId },
});

// The example of the README, word for word from here on.

import { kitCommands, operatorCommand, operatorCommandLine } from '@orderly/operator';

const seatCommand = operatorCommand({
  name: 'seat',
  usage: 'seat <seat id>',
  positionals: ['seat id'],
  options: {},
  example: ['seat', '14A'],
  about: 'who holds a seat',
  details: 'Ends with 0, or 1 if there is no such seat.',
  parse: ({ words: [seatId] }) => ({ seatId }),
  run: showSeat,
});

export const run = operatorCommandLine({
  app: 'cinema',
  program: 'npm run -s cinema --',
  resolveEndpoint: async () => ({ url: process.env.AWS_ENDPOINT_URL, region: 'eu-west-1' }),
  commands: [seatCommand, ...kitCommands({ consumer: 'bookings' })],
});
