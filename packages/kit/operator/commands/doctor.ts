import { operatorCommand } from '../command.js';

export const doctorCommand = operatorCommand({
  name: 'doctor',
  usage: 'doctor',
  positionals: [],
  options: {},
  example: ['doctor'],
  about: 'compares what is deployed with its templates: tables, functions, mappings, alarms, dead letters, clocks',
  details: `Exit code 0: everything is as it was deployed. 1: findings, each with what to do. 'status' tells what happens now.`,
  parse: () => ({}),
  run: async (context) => (await import('../doctor/doctor.js')).examine(context),
});
