/** Answer of the API to one request, whatever its status. */
export interface ApiAnswer<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  /** Whether it is the stored answer to an earlier request (`Idempotency-Replayed: true`). */
  readonly replayed: boolean;
}

export interface ApiRequest {
  readonly token: string;
  readonly body?: unknown;
  /** Value of the `Idempotency-Key` header. */
  readonly key?: string | undefined;
  /** @default no others */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends one request to the API.
 * @param route method and path below the stage, such as `POST /orders`
 */
export async function callApi<Body>(
  apiUrl: string,
  route: string,
  { token, body, key, headers }: ApiRequest,
): Promise<ApiAnswer<Body>> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: (await response.json()) as Body,
    replayed: response.headers.get('idempotency-replayed') === 'true',
  };
}

/**
 * Sends a request that must succeed.
 * @throws {Error} with the status and the problem, for any other answer than a success
 */
export async function expectFromApi<T>(apiUrl: string, route: string, request: ApiRequest): Promise<T> {
  const { status, body } = await callApi<T>(apiUrl, route, request);
  if (status >= 300) throw new Error(`${route} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
