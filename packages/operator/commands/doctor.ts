import type { FindEventDemand } from '../before/before.js';
import { type OperatorCommand, operatorCommand } from '../cli/command.js';

/** @param eventDemand loads how the application finds what its API admits, for `--before` */
export const doctorCommand = (eventDemand?: () => Promise<FindEventDemand>): OperatorCommand =>
  operatorCommand({
    name: 'doctor',
    usage: 'doctor [--before [--assembly <folder>]]',
    positionals: [],
    options: { before: { type: 'boolean' }, assembly: { type: 'string' } },
    example: ['doctor'],
    about:
      'compares what is deployed with its templates, and checks subscriptions to alarms, code and your permissions',
    details: `Exit code 0: everything is as it was deployed. 1: findings, each with what to do. 'status' tells what happens now.
Commands that your permissions don't allow are listed, and are no findings: a role that only reads is well, too.
  --before             before a deployment: whether the account's quotas and settings are enough for what was synthesized
  --assembly <folder>  with --before: the cloud assembly, made by cdk synth with the options of the deployment (cdk.out)`,
    worksBefore: 'before',
    parse: ({ options: { before, assembly }, wrong }) => {
      if (!before && assembly !== undefined) throw wrong('--assembly is for doctor --before.');
      return { before, assembly: assembly ?? 'cdk.out' };
    },
    run: async (context, { before, assembly }) =>
      before
        ? (await import('../before/before.js')).runBefore(context, { assembly }, eventDemand)
        : (await import('../doctor/doctor.js')).runDoctor(context),
  });
