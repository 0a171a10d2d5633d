import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from '../base/settings.js';

/** Host names that no real issuer has (RFC 2606), with or without scheme, port and path. */
const INVALID_HOST = /^(https?:\/\/)?[^/]*\.invalid\.?(:\d+)?(\/|$)/i;

/**
 * Refuses an inline key set of an issuer below `.invalid` at synth: everybody can sign the tokens of a simulated issuer. The
 * context `simulated=true` allows it, for an assembly that is played and never deployed. Nothing keeps such an assembly from
 * being deployed, so an environment that keeps data refuses the issuer with this context too.
 */
export function refuseSimulatedIssuer(
  scope: Construct,
  { auth, environment, keepsData }: Pick<EnvironmentSettings, 'auth' | 'environment' | 'keepsData'>,
): void {
  if (auth.jwks === undefined || !INVALID_HOST.test(auth.issuer)) return;
  if (keepsData) {
    Annotations.of(scope).addError(
      `everybody can sign tokens of the simulated issuer '${auth.issuer}', and '${environment}' keeps data: expected your own issuer in 'auth'; the context simulated=true is for environments that keep no data`,
    );
    return;
  }
  if (String(scope.node.tryGetContext('simulated')) === 'true') return;
  Annotations.of(scope).addError(
    `everybody can sign tokens of the simulated issuer '${auth.issuer}': deploy with your own issuer in 'auth', or synthesize for the simulator only (cdk synth -c simulated=true)`,
  );
}
