import type { Resource } from '../assembly/assembly.js';
import type { Json, JsonObject } from '../assembly/intrinsics.js';
import { NotModelled } from '../wire/operation.js';

/** Where the values are to which templates refer. */
interface Sources {
  readonly secrets: { read(id: string): string | undefined };
  readonly parameters: { read(name: string): string | undefined };
}

const REFERENCE = /\{\{resolve:(secretsmanager|ssm|ssm-secure):([^}]+)\}\}/g;

/**
 * Resolves the dynamic references in a function's environment variables. AWS CloudFormation User Guide, "Get values stored in other services
 * using dynamic references". In other properties they stay as they are.
 * @throws {NotModelled} names a reference to nothing
 */
export function resolveVariables(fn: Resource, sources: Sources): Resource {
  const environment = (fn.properties.Environment ?? {}) as { readonly Variables?: JsonObject };
  const { Variables = {} } = environment;
  if (!JSON.stringify(Variables).includes('{{resolve:')) return fn;
  const resolved = Object.entries(Variables).map(([name, value]): [string, Json] => [
    name,
    typeof value === 'string' ? resolveText(value, sources) : value,
  ]);
  return {
    ...fn,
    properties: { ...fn.properties, Environment: { ...environment, Variables: Object.fromEntries(resolved) } },
  };
}

const resolveText = (text: string, sources: Sources): string =>
  text.replaceAll(REFERENCE, (reference: string, service: string, named: string) => {
    const found = service === 'secretsmanager' ? readSecret(named, sources) : sources.parameters.read(nameOf(named));
    if (found === undefined) throw new NotModelled(`there is nothing at ${reference}`);
    return found;
  });

/** A version behind the name of a parameter: the newest one is read. */
const nameOf = (parameter: string): string => parameter.replace(/:\d+$/, '');

/** @param named `<name or ARN>:SecretString:<key>:<stage>:<version>`; all behind the name may be absent */
function readSecret(named: string, { secrets }: Sources): string | undefined {
  const [, id = '', key = ''] =
    /^(arn:[^:]+:[^:]+:[^:]*:[^:]*:secret:[^:]+|[^:]+)(?::SecretString)?(?::([^:]*))?/.exec(named) ?? [];
  const text = secrets.read(id);
  if (text === undefined || key === '') return text;
  const value = (JSON.parse(text) as JsonObject)[key];
  return value === undefined ? undefined : String(value);
}
