import { Bundles, SettingsError } from '@orderly/kit/constructs';
import { operatorEntries } from '@orderly/operator/constructs';
import { App } from 'aws-cdk-lib';
import { checkByRulePacks } from '../lib/checks.js';
import { DEV_ISSUER } from '../lib/development.js';
import { OrderlyEnvironment } from '../lib/environment.js';
import { type Overrides, settingsFor } from '../lib/settings.js';
import { devJwks } from '../tools/local/dev-issuer.js';

/**
 * `-c checks=off` leaves the rule packs out, in `dev` only: for a local cloud, which is deployed at each start.
 *
 * `cdk synth -c environment=prod`; also `-c issuer=... -c audience=... -c jwks=... -c jwksUri=... -c alarmEmail=... -c concurrency=small -c paymentProvider=sandbox -c hotSkus=TEA-1,TEA-2 -c hotCustomers=acme -c cors=https://shop.example.org -c canary=10 -c syntheticOrder='{...}' -c webhooks=on -c traces=x-ray`
 * override lib/settings.ts. `-c traces=otlp` needs `-c tracesEndpoint=https://...`; `-c tracesShare=0.1` writes a tenth of the traces. `-c protection=off` is for a first deployment. In an environment that keeps data, an inline key set needs `-c allowInlineJwks=true`, and the
 * sandbox needs `-c allowSandbox=true`.
 */
const app = new App();
const context = (name: keyof Overrides | 'environment' | 'checks'): string | undefined => app.node.tryGetContext(name);
const overrides = Object.fromEntries(
  (
    [
      'issuer',
      'audience',
      'jwks',
      'jwksUri',
      'alarmEmail',
      'concurrency',
      'paymentProvider',
      'hotSkus',
      'hotCustomers',
      'exhaustedAccounts',
      'inboxPayloads',
      'settlements',
      'userStatuses',
      'cors',
      'canary',
      'syntheticOrder',
      'webhooks',
      'traces',
      'tracesEndpoint',
      'tracesShare',
      'protection',
      'allowInlineJwks',
      'allowSandbox',
    ] as const
  ).flatMap((name) => {
    const value = context(name);
    return value === undefined ? [] : [[name, value]];
  }),
);

try {
  const settings = settingsFor(context('environment') ?? 'dev', overrides);
  // The development issuer has no address for its keys, so the functions contain its public key.
  const { auth } = settings;
  const jwks = auth.jwks ?? (auth.issuer === DEV_ISSUER ? devJwks() : undefined);
  const bundles = new Bundles('lambdas', {
    cache: process.env.ORDERLY_BUNDLES,
    packages: { operator: operatorEntries },
    traces: settings.traces !== undefined,
    // LocalStack has `dev`, and no authorizers unless a plugin adds them.
    tokens: settings.environment === 'dev' ? 'function' : 'gateway',
  });
  if (context('checks') !== 'off') checkByRulePacks(app);
  else if (settings.environment !== 'dev')
    throw new SettingsError(`checks=off is for dev, and this is ${settings.environment}`);
  new OrderlyEnvironment(app, settings.environment, {
    settings: { ...settings, auth: { ...auth, ...(jwks !== undefined && { jwks }) } },
    bundles,
  });
  app.synth();
  bundles.remove();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
