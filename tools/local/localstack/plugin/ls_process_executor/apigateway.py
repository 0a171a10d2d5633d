"""REST APIs: Lambda authorizers (REQUEST) and gateway responses.

Upstream has authorizers only in Pro, and honours only the status of a gateway response.
"""

import fnmatch
import json
import re
import time

import localstack.services.cloudformation.provider_utils as util
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent, ResourceProvider

NAMES = {
    "Name": "name", "Type": "type", "RestApiId": "restApiId", "AuthorizerUri": "authorizerUri",
    "AuthorizerResultTtlInSeconds": "authorizerResultTtlInSeconds", "IdentitySource": "identitySource",
}  # fmt: skip


class ApiGatewayAuthorizerProvider(ResourceProvider):
    TYPE = "AWS::ApiGateway::Authorizer"
    SCHEMA = {
        "typeName": TYPE,
        "properties": {k: {"type": "string"} for k in [*NAMES, "AuthorizerId"]},
        "required": ["RestApiId", "Name", "Type"],
        "createOnlyProperties": ["/properties/RestApiId"],
        "primaryIdentifier": ["/properties/AuthorizerId"],
        "readOnlyProperties": ["/properties/AuthorizerId"],
        "handlers": {"create": {}, "read": {}, "update": {}, "delete": {}},
    }

    def _done(self, request, model):
        return ProgressEvent(status=OperationStatus.SUCCESS, resource_model=model, custom_context=request.custom_context)

    def create(self, request):
        model = request.desired_state
        if not model.get("Name"):
            model["Name"] = util.generate_default_name(request.stack_name, request.logical_resource_id)
        args = {NAMES[k]: v for k, v in model.items() if k in NAMES and v is not None}
        if "authorizerResultTtlInSeconds" in args:
            args["authorizerResultTtlInSeconds"] = int(args["authorizerResultTtlInSeconds"])
        model["AuthorizerId"] = request.aws_client_factory.apigateway.create_authorizer(**args)["id"]
        return self._done(request, model)

    def update(self, request):
        model, old = request.desired_state, request.previous_state
        model["AuthorizerId"] = old["AuthorizerId"]
        ops = [
            {"op": "replace", "path": "/" + NAMES[k], "value": str(model[k])}
            for k in NAMES
            if k != "RestApiId" and model.get(k) is not None and model.get(k) != old.get(k)
        ]
        if ops:
            request.aws_client_factory.apigateway.update_authorizer(
                restApiId=model["RestApiId"], authorizerId=model["AuthorizerId"], patchOperations=ops
            )
        return self._done(request, model)

    def delete(self, request):
        model = request.desired_state
        api = request.aws_client_factory.apigateway
        try:
            api.delete_authorizer(restApiId=model["RestApiId"], authorizerId=model["AuthorizerId"])
        except api.exceptions.NotFoundException:
            pass
        return self._done(request, model)


def _lookup(expression: str, context):
    """Evaluates `method.request.header.X`, `context.a.b` or `stageVariables.X` for this request; None if it is missing."""
    request = context.invocation_request
    kind, _, name = expression.removeprefix("method.request.").partition(".")
    if kind == "header":
        return request["headers"].get(name)
    if kind == "querystring":
        return request["query_string_parameters"].get(name)
    if kind == "path":
        return (request["path_parameters"] or {}).get(name)
    if kind == "stageVariables":
        return (context.stage_variables or {}).get(name)
    value = context.context_variables if kind == "context" else None
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


_cache: dict = {}


def _event(arn, context):
    request = context.invocation_request
    multi: dict = {}
    for k, v in request["headers"].items():
        multi.setdefault(k, []).append(v)
    return {
        "type": "REQUEST",
        "methodArn": arn,
        "resource": context.resource.get("path"),
        "path": request["path"],
        "httpMethod": str(request["http_method"]),
        "headers": {k: v[-1] for k, v in multi.items()},
        "multiValueHeaders": multi,
        "queryStringParameters": dict(request["query_string_parameters"] or {}),
        "multiValueQueryStringParameters": {k: list(v) for k, v in (request["multi_value_query_string_parameters"] or {}).items()},
        "pathParameters": dict(request["path_parameters"] or {}),
        "stageVariables": dict(context.stage_variables or {}),
        "requestContext": json.loads(json.dumps(context.context_variables, default=str)),
    }


def _ask(authorizer, arn, context):
    """Returns the authorizer's answer. Without an identity source, or with a TTL of 0, it is called for each request."""
    from localstack.aws.connect import connect_to
    from localstack.services.apigateway.next_gen.execute_api.gateway_response import AuthorizerConfigurationError, UnauthorizedError

    sources = [s.strip() for s in (authorizer.get("identitySource") or "").split(",") if s.strip()]
    identity = [_lookup(s, context) for s in sources]
    if any(not v for v in identity):
        raise UnauthorizedError("Unauthorized")
    ttl = authorizer.get("authorizerResultTtlInSeconds")
    ttl = 300 if ttl is None else int(ttl)
    key = (context.api_id, context.stage, authorizer["id"], context.deployment_id, tuple(identity))
    hit = _cache.get(key) if ttl and identity else None
    if hit and hit[0] > time.monotonic():
        return hit[1]
    function = re.search(r"functions/(.+?)/invocations", authorizer.get("authorizerUri") or "")
    if not function:
        raise AuthorizerConfigurationError()
    client = connect_to(aws_access_key_id=context.account_id, region_name=context.region).lambda_
    answer = client.invoke(FunctionName=function[1], Payload=json.dumps(_event(arn, context)))
    result = json.loads(answer["Payload"].read() or "null")
    if answer.get("FunctionError"):
        if (result or {}).get("errorMessage") == "Unauthorized":
            raise UnauthorizedError("Unauthorized")
        raise AuthorizerConfigurationError()
    if not isinstance(result, dict) or "policyDocument" not in result or "principalId" not in result:
        raise AuthorizerConfigurationError()
    if ttl and identity:
        _cache[key] = (time.monotonic() + ttl, result)
    return result


def _effect(policy, arn):
    """Returns `Allow`, `Deny`, or None if no statement applies to this method."""
    listed = lambda v: v if isinstance(v, list) else [v]  # noqa: E731
    effects = set()
    for statement in listed(policy.get("Statement") or []):
        action = any(fnmatch.fnmatchcase("execute-api:invoke", str(x).lower()) for x in listed(statement.get("Action") or []))
        resource = any(fnmatch.fnmatchcase(arn, str(x).replace("[", "[[]")) for x in listed(statement.get("Resource") or []))
        if action and resource:
            effects.add(statement.get("Effect"))
    return "Deny" if "Deny" in effects else "Allow" if "Allow" in effects else None


def authorize(chain, context, response):
    from localstack.services.apigateway.next_gen.execute_api.gateway_response import AccessDeniedError, AuthorizerConfigurationError

    method = context.resource_method
    if method.get("authorizationType") != "CUSTOM":
        return
    authorizer = (context.deployment.rest_api.authorizers or {}).get(method.get("authorizerId"))
    if not authorizer or authorizer["type"] != "REQUEST":
        raise AuthorizerConfigurationError()
    request = context.invocation_request
    path = (request["path"] or "/").lstrip("/")
    arn = f"arn:aws:execute-api:{context.region}:{context.account_id}:{context.api_id}/{context.stage}/{request['http_method']}/{path}"
    result = _ask(authorizer, arn, context)
    text = lambda v: "true" if v is True else "false" if v is False else str(v)  # noqa: E731
    # before the policy is evaluated: the gateway response of a denial may use $context.authorizer too
    context.context_variables["authorizer"] = {
        "principalId": result["principalId"],
        **{k: text(v) for k, v in (result.get("context") or {}).items()},
        "integrationLatency": 0,
    }
    effect = _effect(result["policyDocument"], arn)
    if effect == "Deny":
        raise AccessDeniedError("User is not authorized to access this resource with an explicit deny")
    if effect is None:
        raise AccessDeniedError("User is not authorized to access this resource")


VARIABLE = re.compile(r"\$(context(?:\.\w+)+|stageVariables\.\w+|method\.request\.(?:header|querystring|path)\.[\w-]+)")


def _render(template, context):
    """Renders a gateway response's body: plain substitution as on AWS (no Velocity); missing values are empty."""

    def value(match):
        found = _lookup(match[1], context)
        if match[1] == "context.error.messageString":  # quoted, as AWS has it
            return json.dumps(found)
        return "" if found is None else str(found)

    return VARIABLE.sub(value, template)


def gateway_responses():
    """Response templates and parameters (upstream: a fixed body), and their update by CloudFormation (upstream: refused)."""
    from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
        DEFAULT_GATEWAY_RESPONSES,
        get_gateway_response_or_default,
    )
    from localstack.services.apigateway.next_gen.execute_api.handlers.gateway_exception import GatewayExceptionHandler
    from localstack.services.apigateway.resource_providers.aws_apigateway_gatewayresponse import ApiGatewayGatewayResponseProvider

    create_response = GatewayExceptionHandler.create_exception_response

    def create_exception_response(self, exception, context):
        response = create_response(self, exception, context)
        configured = get_gateway_response_or_default(exception.type, context.deployment.rest_api.gateway_responses)
        if configured is DEFAULT_GATEWAY_RESPONSES.get(exception.type):
            return response
        templates = configured.get("responseTemplates") or {}
        accepted = context.invocation_request["headers"].get("Accept") if context.invocation_request else None
        for kind in (accepted, "application/json", *templates):
            if kind in templates:
                response.set_data(_render(templates[kind], context))
                response.headers["Content-Type"] = kind
                break
        for name, source in (configured.get("responseParameters") or {}).items():
            value = source[1:-1] if source.startswith("'") else _lookup(source, context)
            if value is not None and name.startswith("gatewayresponse.header."):
                response.headers[name.removeprefix("gatewayresponse.header.")] = str(value)
        return response

    GatewayExceptionHandler.create_exception_response = create_exception_response

    def update(self, request):
        request.desired_state["Id"] = request.previous_state["Id"]
        identity = request.desired_state["Id"]
        event = self.create(request)  # a put replaces what was there
        event.resource_model["Id"] = identity
        return event

    ApiGatewayGatewayResponseProvider.update = update


def raw_bodies():
    """AWS passes a body on unchanged; upstream parses it as a form if its caller declares one (as curl -d does)."""
    from localstack.services.apigateway.next_gen.execute_api.handlers import parse

    restored = parse.restore_payload
    parse.restore_payload = lambda request: request.get_data(parse_form_data=False) or restored(request)


def apply():
    from localstack.services.apigateway.next_gen.execute_api import handlers
    from localstack.services.apigateway.next_gen.execute_api.gateway import RestApiGateway

    init = RestApiGateway.__init__

    def __init__(self):
        init(self)
        self.request_handlers.insert(self.request_handlers.index(handlers.api_key_validation_handler), authorize)

    RestApiGateway.__init__ = __init__
    gateway_responses()
    raw_bodies()
