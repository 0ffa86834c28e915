// The attributes of server spans, by the semantic conventions of OpenTelemetry for RPC and HTTP.
import { codeToString } from '@connectrpc/connect/protocol-connect';
import type { Attributes } from '@opentelemetry/api';
import type { Call } from '../../api/call.ts';
import type { MethodFacts } from '../../api/endpoint.ts';
import type { Observation } from '../../api/method-guard.ts';
import type { HttpObservation } from '../../api/routes/route.ts';

export function startAttributes(method: MethodFacts, call: Call): Attributes {
  const { descriptor } = method;
  const rpc = { 'rpc.service': descriptor.parent.typeName, 'rpc.method': descriptor.name };
  if (call.transport === 'http') {
    const route = routeOf(method);
    return {
      ...rpc,
      'http.request.method': methodName(call.context.requestMethod),
      ...(route === undefined ? {} : { 'http.route': route }),
    };
  }
  return { ...rpc, 'rpc.system': systemOf(call) };
}

export function callAttributes({ method, call, principal, failure }: Observation): Attributes {
  const attributes: Attributes = {
    'latchkey.request_id': call.requestId,
    'latchkey.transport': call.transport,
    'latchkey.principal': principal.type,
  };
  if (call.transport === 'http') {
    const { successStatus, download } = method.http;
    const success = successStatus === 0 ? 200 : successStatus;
    // The status of a download depends on its range.
    const status = failure?.status ?? (download ? undefined : success);
    if (status !== undefined) attributes['http.response.status_code'] = status;
  } else if (systemOf(call) === 'grpc') {
    attributes['rpc.grpc.status_code'] = failure?.grpc ?? 0;
  } else if (failure !== undefined) {
    attributes['rpc.connect_rpc.error_code'] = codeToString(failure.grpc);
  }
  return attributes;
}

/** The name is the method with the route, and only the method if no route matches. */
export function routeAttributes({ requestId, status, route, request }: HttpObservation) {
  const method = methodName(request.method ?? '');
  const attributes: Attributes = {
    'latchkey.request_id': requestId,
    'http.request.method': method,
    'http.response.status_code': status,
    ...(route === undefined ? {} : { 'http.route': route }),
  };
  const verb = method === '_OTHER' ? 'HTTP' : method;
  return { name: route === undefined ? verb : `${verb} ${route}`, attributes };
}

/** gRPC-Web is a form of gRPC. */
function systemOf({ transport, context }: Call): 'grpc' | 'connect_rpc' {
  return transport === 'grpc' || context.protocolName === 'grpc-web' ? 'grpc' : 'connect_rpc';
}

function routeOf({ rule }: MethodFacts): string | undefined {
  const pattern = rule?.pattern;
  return typeof pattern?.value === 'string' ? pattern.value : pattern?.value?.path;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Callers choose the method, so unknown ones are not exported. */
const methodName = (method: string) => (methods.has(method) ? method : '_OTHER');
