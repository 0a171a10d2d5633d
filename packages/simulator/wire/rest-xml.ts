import { bodyBytes, type HttpRequest, type HttpResponse } from '../runtime/http.js';
import { readPresigned } from './presigned.js';
import { type AwsError, queryOf, type WireRequest } from './request.js';
import { document, elements, type XmlObject } from './xml.js';

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const HEADERS = { 'content-type': 'application/xml', 'x-amz-request-id': 'simulated' };

/** Parameters that make a request one about a part of a bucket or object: each belongs to operations of its own. */
const PARTS =
  /^(accelerate|acl|analytics|attributes|cors|delete|encryption|intelligent-tiering|inventory|legal-hold|lifecycle|location|logging|metrics|notification|object-lock|ownershipControls|partNumber|policy|policyStatus|publicAccessBlock|replication|requestPayment|restore|retention|select|tagging|torrent|uploadId|uploads|versioning|versions|website)$/;

/** Headers that make a request depend on the object that is there. */
const CONDITION = /^(x-amz-)?if-/;

/**
 * Reads a request to Amazon S3: the bucket stands in the host or at the beginning of the path. Amazon S3 User Guide,
 * "Virtual hosting of general purpose buckets"; API Reference, "Actions".
 */
export function readRestXml(http: HttpRequest): Pick<WireRequest, 'operation' | 'input'> {
  const { bucket, key } = parseObjectPath(http);
  const query = queryOf(http);
  const { body, fields } = removeChunkFraming(http);
  const named = (name: string): string | undefined => query.get(name) ?? undefined;
  return {
    operation: findOperation(http, bucket, key, query),
    input: {
      ...(bucket !== '' && { Bucket: bucket }),
      ...(key !== '' && { Key: key }),
      VersionId: named('versionId'),
      Prefix: named('prefix'),
      Delimiter: named('delimiter'),
      MaxKeys: named('max-keys'),
      ContinuationToken: named('continuation-token'),
      StartAfter: named('start-after'),
      EncodingType: named('encoding-type'),
      ContentType: http.headers['content-type'],
      Conditions: Object.fromEntries(Object.entries(http.headers).filter(([name]) => CONDITION.test(name))),
      MaxBuckets: named('max-buckets'),
      BucketRegion: named('bucket-region'),
      Range: http.headers.range,
      HasMetadata: Object.keys(http.headers).some((name) => name.startsWith('x-amz-meta-')),
      Headers: { ...http.headers, ...fields },
      Presigned: readPresigned(query),
      Body: body,
    },
  };
}

function parseObjectPath({ host, path }: HttpRequest): { readonly bucket: string; readonly key: string } {
  const decoded = decodeURIComponent((path.split('?')[0] ?? '').slice(1));
  const [, virtual] = /^(?!s3[.-])(.+?)\.(?:s3[.-][\w.-]*|localhost)(?::\d+)?$/.exec(host) ?? [];
  if (virtual !== undefined) return { bucket: virtual, key: decoded };
  const [bucket = '', ...rest] = decoded.split('/');
  return { bucket, key: rest.join('/') };
}

const OF_OBJECTS: Readonly<Record<string, string>> = {
  GET: 'GetObject',
  HEAD: 'HeadObject',
  PUT: 'PutObject',
  DELETE: 'DeleteObject',
};
const OF_BUCKETS: Readonly<Record<string, string>> = {
  GET: 'ListObjects',
  HEAD: 'HeadBucket',
  PUT: 'CreateBucket',
  DELETE: 'DeleteBucket',
};

function findOperation({ method, headers }: HttpRequest, bucket: string, key: string, query: URLSearchParams): string {
  const part = [...query.keys()].find((name) => PARTS.test(name));
  const copied = headers['x-amz-copy-source'] === undefined ? '' : ' by copy';
  if (part !== undefined || copied)
    return `${method} ${key === '' ? 'bucket' : 'object'}${part ? `?${part}` : ''}${copied}`;
  if (bucket === '') return method === 'GET' ? 'ListBuckets' : `${method} /`;
  if (key !== '') return OF_OBJECTS[method] ?? `${method} object`;
  if (query.get('list-type') === '2') return 'ListObjectsV2';
  return OF_BUCKETS[method] ?? `${method} bucket`;
}

/**
 * Returns the body without the frame of a checksum behind it, and the fields that follow it. Amazon S3 API Reference, "Signature
 * Calculations for the Authorization Header: Transferring Payload in Multiple Chunks": `<size in hexadecimal>[;...]\r\n<data>\r\n`,
 * until a size of 0, then `<name>:<value>\r\n`.
 */
function removeChunkFraming(http: HttpRequest): {
  readonly body: Uint8Array;
  readonly fields: Readonly<Record<string, string>>;
} {
  const { headers } = http;
  const framed =
    /aws-chunked/.test(headers['content-encoding'] ?? '') || /^STREAMING-/.test(headers['x-amz-content-sha256'] ?? '');
  const whole = bodyBytes(http);
  if (!framed) return { body: whole, fields: {} };
  let rest = Buffer.from(whole);
  const chunks: Buffer[] = [];
  for (;;) {
    const end = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.subarray(0, end).toString(), 16);
    if (end < 0 || !(size > 0)) break;
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    rest = rest.subarray(end + 2 + size + 2);
  }
  const lines = rest.toString().split('\r\n').slice(1);
  const fields = lines.flatMap((line) => {
    const [, name, value = ''] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value] as const];
  });
  return { body: Buffer.concat(chunks), fields: Object.fromEntries(fields) };
}

/** @param output has one member, which is the name of the document */
export function writeRestXmlAnswer(_request: WireRequest, output: object): HttpResponse {
  const [[root, content] = ['', {}]] = Object.entries(output as Readonly<Record<string, XmlObject>>);
  return { status: 200, headers: HEADERS, body: document(root, NAMESPACE, elements(content)) };
}

/** An answer to HEAD has no body: its status says what is wrong. */
export function writeRestXmlError({ operation }: WireRequest, { status, code, message, more }: AwsError): HttpResponse {
  const body = document(
    'Error',
    undefined,
    elements({ Code: code, Message: message, ...(more as XmlObject), RequestId: 'simulated' }),
  );
  return { status, headers: HEADERS, body: operation.startsWith('Head') ? '' : body };
}
