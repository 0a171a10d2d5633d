import type { HttpRequest, HttpResponse } from '../runtime/http.js';
import { browseQueue } from '../services/sqs/browser.js';
import { NotModelled, type Operation, RawResponse, Refused, UnknownOperation } from '../wire/operation.js';
import type { AwsError, WireRequest } from '../wire/request.js';
import { readRequest, writeAnswer, writeError, writeUnknownError } from '../wire/wire.js';
import { accessDenied, requiredAccesses } from './accesses.js';
import type { Cloud } from './cloud.js';

export interface AwsApiOptions {
  /** Gets a line for each request that the simulator can't answer as AWS does: it names service and operation. */
  readonly unknown: (line: string) => void;
}

/**
 * Answers requests from outside of the account, as AWS would answer an administrator: those of the SDKs, of AWS's
 * command line and of tools. No role is checked, but what a resource's policy denies is denied.
 */
export class AwsApi {
  constructor(
    private readonly cloud: Cloud,
    private readonly options: AwsApiOptions,
  ) {}

  /**
   * Answers a request, in any of AWS's protocols; an error is an answer, too. It takes effect before this returns, so a
   * live world's time can be set before; the answer may take the world some time.
   */
  async answer(http: HttpRequest): Promise<HttpResponse> {
    const shown = browseQueue(this.cloud, http);
    if (shown) return shown;
    const ofPool = http.headers['x-amz-target'] === undefined ? this.cloud.userPools.answer(http) : undefined;
    if (ofPool) return ofPool;
    let request: WireRequest | undefined;
    try {
      request = readRequest(http);
    } catch (error) {
      const message = `The request can't be read: ${(error as Error).message}`;
      return writeUnknownError(http, { status: 400, code: 'SerializationException', message });
    }
    if (!request) {
      this.options.unknown(`${http.method} ${http.host}${http.path}: nothing in the request names a service`);
      return writeError(MALFORMED, {
        status: 403,
        code: 'MissingAuthenticationTokenException',
        message: 'Missing Authentication Token',
      });
    }
    try {
      const output = await this.operationOf(request)(request.input);
      return output instanceof RawResponse ? output.response : writeAnswer(request, output);
    } catch (error) {
      return writeError(request, this.toAwsError(request, error as Error));
    }
  }

  private operationOf(request: WireRequest): Operation {
    const { service, protocol } = request;
    // Its names of lists differ from operation to operation, and no client of today speaks it.
    if (service === 'sqs' && protocol === 'query') throw new NotModelled("SQS's old Query protocol");
    const found = this.cloud.services.operation(request);
    // Tables have no policies of their own here.
    const accesses = service === 'dynamodb' ? [] : requiredAccesses(request, this.cloud);
    const denied = accesses.find((access) => this.cloud.iam.resourceDenies(access));
    if (denied) {
      const { status, code, message } = accessDenied(request, this.cloud.home.root, denied);
      throw new Refused(code, `${message} with an explicit deny in a resource-based policy`, status);
    }
    return found;
  }

  private toAwsError(request: WireRequest, error: Error): AwsError {
    const { service, operation } = request;
    if (error instanceof Refused) return error.error;
    if (error instanceof UnknownOperation) {
      this.options.unknown(`${service} ${operation}: unknown operation`);
      return unknownOperation(request);
    }
    // Each part of the simulator has its own class for what it doesn't model.
    if (/NotModelled$/.test(error.name)) {
      this.options.unknown(`${service} ${operation}: not modelled: ${error.message}`);
      return { status: 501, code: 'NotImplemented', message: `The simulator doesn't model this: ${error.message}` };
    }
    this.options.unknown(`${service} ${operation}: failed: ${error.stack ?? error.message}`);
    const code = service === 's3' ? 'InternalError' : 'InternalFailure';
    return { status: 500, code, message: `The simulator failed: ${error.message}` };
  }
}

/** A request of which only the error's form matters. */
const MALFORMED: WireRequest = { service: '', protocol: 'json-1.0', operation: '', input: {} };

/** Returns the error that a protocol's services give to an operation that they don't know. */
function unknownOperation({ service, operation, protocol }: WireRequest): AwsError {
  switch (protocol) {
    case 'query':
      return {
        status: 400,
        code: 'InvalidAction',
        message: `Could not find operation ${operation} for service ${service}`,
      };
    case 'rest-xml':
      return { status: 501, code: 'NotImplemented', message: `The simulator doesn't serve this: ${operation}` };
    default:
      return {
        status: protocol.startsWith('json') ? 400 : 404,
        code: 'UnknownOperationException',
        message: `The simulator doesn't serve this: ${operation}`,
      };
  }
}
