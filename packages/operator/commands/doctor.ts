import { operatorCommand } from '../cli/command.js';

export const doctorCommand = operatorCommand({
  name: 'doctor',
  usage: 'doctor',
  positionals: [],
  options: {},
  example: ['doctor'],
  about: 'compares what is deployed with its templates, and checks subscriptions to alarms, code and your permissions',
  details: `Exit code 0: everything is as it was deployed. 1: findings, each with what to do. 'status' tells what happens now.
Commands that your permissions don't allow are listed, and are no findings: a role that only reads is well, too.`,
  parse: () => ({}),
  run: async (context) => (await import('../doctor/doctor.js')).runDoctor(context),
});
