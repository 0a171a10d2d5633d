import type { ApiResponse } from '../apigateway/messages.js';

const answer = (status: number, message: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
});

/**
 * Answers of an HTTP API without a function. Amazon API Gateway, "Create routes for HTTP APIs" (404), "Throttle requests to your HTTP APIs"
 * (429), "Troubleshooting issues with HTTP API JWT authorizers" (401), "Troubleshooting issues with HTTP API Lambda integrations" (500); AWS
 * re:Post, "How do I troubleshoot issues for API Gateway endpoints that integrate with Lambda?" (500 for a throttled function). The 503 of
 * a function that takes too long is in no page of AWS; issues of frameworks show it (github.com/anomalyco/sst/issues/2232).
 */
export const ANSWERS = {
  badRequest: answer(400, 'Bad Request'),
  forbidden: answer(403, 'Forbidden'),
  internalError: answer(500, 'Internal Server Error'),
  notFound: answer(404, 'Not Found'),
  tooLarge: answer(413, 'Request Entity Too Large'),
  throttled: answer(429, 'Too Many Requests'),
  timeout: answer(503, 'Service Unavailable'),
  unauthorized: answer(401, 'Unauthorized'),
};

/** Refuses a token, and says why. RFC 6750, "The WWW-Authenticate Response Header Field". */
export const refuseToken = (
  status: 401 | 403,
  error: 'invalid_token' | 'insufficient_scope',
  description: string,
  scopes: readonly string[] = [],
): ApiResponse => {
  const { headers, body } = status === 401 ? ANSWERS.unauthorized : ANSWERS.forbidden;
  const why = `Bearer scope="${scopes.join(' ')}" error="${error}" error_description="${description}"`;
  return { status, headers: { ...headers, 'www-authenticate': why }, body };
};
