import type { Assembly, Resource } from '../assembly/assembly.js';
import { parseFunctionArn } from '../services/apigateway/routes.js';

/** Hosts of AWS, and names that no host has (RFC 6761). */
const NOT_OUTSIDE = /(^|\.)(amazonaws\.com(\.cn)?|amazoncognito\.com|localhost|invalid)$/;
/** A JSON Web Key Set (RFC 7517) among the variables: whoever has it needn't ask for it. */
const KEY_SET = /^\s*\{\s*"keys"\s*:/;

/**
 * Says which hosts outside of the assembly functions name by their variables, and how something answers for them here. Nothing of it keeps the
 * assembly from running.
 */
export function adviseOutside(assembly: Assembly): readonly string[] {
  const deciding = new Set(
    [...assembly.findByType('AWS::ApiGateway::Authorizer'), ...assembly.findByType('AWS::ApiGatewayV2::Authorizer')]
      .filter(({ properties }) => properties.AuthorizerUri !== undefined)
      .map(({ properties }) => parseFunctionArn(String(properties.AuthorizerUri))),
  );
  const functions = assembly.findByType('AWS::Lambda::Function').map((fn) => ({ fn, hosts: findHosts(fn) }));
  const asks = functions.filter(({ fn, hosts }) => deciding.has(fn.arn) && hosts.length > 0 && !hasKeys(fn));
  const others = functions.filter(({ fn, hosts }) => !deciding.has(fn.arn) && hosts.length > 0);
  return [
    ...asks.flatMap(({ fn: { label }, hosts }) => [
      `${label} decides over requests by tokens of ${hosts.join(', ')}, outside of the assembly: it can't get the keys, so requests fail.`,
      '  an app on the kit:  npx cdk synth --quiet -c simulated=true, and npx orderly-local token <sub> prints a token',
      `  any other app:      --outside ${hosts[0]}=http://127.0.0.1:9000 names a stub that has the keys`,
    ]),
    ...(others.length === 0
      ? []
      : [
          `Functions name hosts outside of AWS: ${others.map(({ fn: { label }, hosts }) => `${hosts.join(', ')} (${label})`).join('; ')}.`,
          '  requests to them fail, until --outside <host>=<url> names a stub, or --outside <module> models them',
        ]),
  ];
}

const readVariables = ({ properties }: Resource): readonly string[] => {
  const { Variables = {} } = (properties.Environment ?? {}) as {
    readonly Variables?: Readonly<Record<string, unknown>>;
  };
  return Object.values(Variables).filter((value): value is string => typeof value === 'string');
};

const hasKeys = (fn: Resource): boolean => readVariables(fn).some((value) => KEY_SET.test(value));

const findHosts = (fn: Resource): readonly string[] => [
  ...new Set(
    readVariables(fn).flatMap((value) => {
      const host = /^https?:\/\/([^/:?#\s]+)/.exec(value)?.[1];
      return host === undefined || NOT_OUTSIDE.test(host) ? [] : [host];
    }),
  ),
];
