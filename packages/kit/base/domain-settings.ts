import { type DomainSettings, type EnvironmentSettings, SettingsError } from './settings.js';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST = new RegExp(`^(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`);
const CERTIFICATE = /^arn:aws[a-z-]*:acm:([a-z0-9-]+):\d{12}:certificate\/[0-9A-Za-z-]+$/;
/** Route 53 API Reference, `HostedZone`: `Id`, without the prefix `/hostedzone/`. */
const ZONE_ID = /^Z[A-Z0-9]{1,31}$/;
/** RFC 1035, 2.3.4, without the root's dot. */
const MAX_NAME = 253;

/**
 * Returns the API's own host name, checked.
 * @param region of the API's stack, if it is known at synth
 * @throws {SettingsError} for what API Gateway or Route 53 would refuse in the middle of a deployment
 */
export function resolveDomain(
  { domain }: Pick<EnvironmentSettings, 'domain'>,
  region?: string,
): DomainSettings | undefined {
  if (domain === undefined) return undefined;
  const { name, certificateArn, hostedZone } = domain;
  if (!HOST.test(name) || name.length > MAX_NAME) {
    throw new SettingsError(
      `domain.name is '${name}': expected one host name in lower case, without scheme, path and *, such as api.example.org`,
    );
  }
  const [, itsRegion] = CERTIFICATE.exec(certificateArn) ?? [];
  if (itsRegion === undefined) {
    throw new SettingsError(
      `domain.certificateArn is '${certificateArn}': expected the ARN of a certificate, such as arn:aws:acm:<region>:<account>:certificate/<id>`,
    );
  }
  if (region !== undefined && itsRegion !== region) {
    throw new SettingsError(
      `domain.certificateArn is of ${itsRegion}: expected a certificate of ${region}, since a regional API takes those of its own Region`,
    );
  }
  if (hostedZone !== undefined) checkZone(name, hostedZone);
  return domain;
}

function checkZone(name: string, zone: NonNullable<DomainSettings['hostedZone']>): void {
  if (!ZONE_ID.test(zone.id)) {
    throw new SettingsError(
      `domain.hostedZone.id is '${zone.id}': expected the id of a hosted zone without /hostedzone/, such as Z0123456789ABCDEFGHIJ`,
    );
  }
  if (name !== zone.name && !name.endsWith(`.${zone.name}`)) {
    throw new SettingsError(
      `domain.hostedZone.name is '${zone.name}': expected the zone of ${name}, without a trailing dot, such as ${name.split('.').slice(1).join('.')}`,
    );
  }
}
