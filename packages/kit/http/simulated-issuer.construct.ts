import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from '../service/settings.js';

/** Host names that no real issuer has (RFC 2606), with or without scheme, port and path. */
const INVALID_HOST = /^(https?:\/\/)?[^/]*\.invalid\.?(:\d+)?(\/|$)/i;

/**
 * Refuses an inline key set of an issuer below `.invalid` at synth: everybody can sign the tokens of a simulated issuer. The
 * context `simulated=true` allows it, for an assembly that is played and never deployed.
 */
export function refuseSimulatedIssuer(scope: Construct, { auth }: Pick<EnvironmentSettings, 'auth'>): void {
  const isSimulated = String(scope.node.tryGetContext('simulated')) === 'true';
  if (isSimulated || auth.jwks === undefined || !INVALID_HOST.test(auth.issuer)) return;
  Annotations.of(scope).addError(
    `everybody can sign tokens of the simulated issuer '${auth.issuer}': deploy with your own issuer in 'auth', or synthesize for the simulator only (cdk synth -c simulated=true)`,
  );
}
