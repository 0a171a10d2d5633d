import { DomainName, EndpointAccessMode, EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { DomainSettings } from '../base/settings.js';

/**
 * TLS 1.2 or newer with forward secrecy, for an API and for its host name.
 *
 * The two are equal, since API Gateway negotiates a connection to a host name by the policy of the API behind it. Source: API
 * Gateway, "Choose a security policy for your custom domain". Such a policy allows no mutual TLS.
 */
export const TLS_POLICY = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

/**
 * A host name of one's own in front of an API.
 *
 * The path begins with the stage's name, as it does at the gateway's own address, so that a client changes the host only:
 * `https://api.example.org/v1/orders`. Functions get the same `resource` and `pathParameters` either way.
 */
export class ApiDomain extends Construct {
  /** Address of the API, with a trailing slash. */
  readonly url: string;
  /** Host name of API Gateway to which a record of the own name points. */
  readonly target: string;

  constructor(
    scope: Construct,
    id: string,
    { api, domain, path }: { readonly api: RestApi; readonly domain: DomainSettings; readonly path: string },
  ) {
    super(scope, id);
    const { name, certificateArn, hostedZone } = domain;
    const host = new DomainName(this, 'Name', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: TLS_POLICY,
      endpointAccessMode: EndpointAccessMode.STRICT,
    });
    // A second version of the API can get another path beside this one.
    host.addBasePathMapping(api, { basePath: path, stage: api.deploymentStage });
    if (hostedZone) {
      new ARecord(this, 'Record', {
        zone: HostedZone.fromHostedZoneAttributes(this, 'Zone', {
          hostedZoneId: hostedZone.id,
          zoneName: hostedZone.name,
        }),
        // With the trailing dot it is the whole name, and CDK does not add the zone's.
        recordName: `${name}.`,
        target: RecordTarget.fromAlias(new ApiGatewayDomain(host)),
      });
    }
    this.url = `https://${name}/${path}/`;
    this.target = host.domainNameAliasDomainName;
  }
}
