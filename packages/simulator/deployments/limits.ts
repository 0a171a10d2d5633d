import type { JsonObject } from '../assembly/intrinsics.js';
import type { Template } from './template.js';

/**
 * Most that one template may have: AWS CloudFormation, "Understand CloudFormation quotas". The template's size is that of one in a
 * bucket, where the CDK's command line puts it.
 */
const MOST = { resources: 500, outputs: 200, parameters: 200, mappings: 200, bytes: 1_000_000, name: 128 } as const;

/** Returns what exceeds a quota, one line each. CloudFormation refuses such a template before it changes anything. */
export function limitsExceeded(template: JsonObject, stack: string): readonly string[] {
  const { Resources = {}, Outputs = {}, Parameters = {}, Mappings = {} } = template as Template;
  const counted = [
    ['resources', Object.keys(Resources).length, MOST.resources],
    ['outputs', Object.keys(Outputs).length, MOST.outputs],
    ['parameters', Object.keys(Parameters).length, MOST.parameters],
    ['mappings', Object.keys(Mappings).length, MOST.mappings],
    // As the CDK writes it.
    ['bytes', Buffer.byteLength(JSON.stringify(template, null, 1)), MOST.bytes],
    ['characters in its name', stack.length, MOST.name],
  ] as const;
  return counted
    .filter(([, count, most]) => count > most)
    .map(([what, count, most]) => `${count} ${what}, and CloudFormation takes at most ${most}`);
}
