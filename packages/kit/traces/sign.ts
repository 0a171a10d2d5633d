import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { requireEnv } from '../aws/read-environment.js';

/**
 * Signs a request to X-Ray's OTLP endpoint with the credentials of the function's role. Amazon CloudWatch User Guide, "OTLP
 * Endpoints": callers are authenticated by Signature Version 4, the service is `xray`.
 * @returns the headers with the signature
 */
export async function signForXRay(
  url: URL,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    service: 'xray',
    region: requireEnv('AWS_REGION'),
    sha256: Sha256,
    credentials: {
      accessKeyId: requireEnv('AWS_ACCESS_KEY_ID'),
      secretAccessKey: requireEnv('AWS_SECRET_ACCESS_KEY'),
      sessionToken: requireEnv('AWS_SESSION_TOKEN'),
    },
  });
  const { headers: signed } = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: {},
    headers: { ...headers, host: url.host },
    body,
  });
  return signed;
}
