/** How the edge treats a message of a client, by its method. */
export type ClientHandling =
  /** Always passes. The method opens a session, or checks that the other side is there. */
  | 'always'
  /** Passes while the edge is open. */
  | 'open'
  /** The method requests a list. The edge removes denied entries from the answer. While the edge is closed, the answer is an empty list. */
  | 'list'
  /** The policy decides the message, and the decision is recorded. */
  | 'decided'

/** The requests of clients that are known, in all supported revisions of MCP. All other requests are refused. */
export const clientRequests: ReadonlyMap<string, ClientHandling> = new Map([
  ['initialize', 'always'],
  ['server/discover', 'always'],
  ['ping', 'always'],
  ['tools/list', 'list'],
  ['resources/list', 'list'],
  ['resources/templates/list', 'list'],
  ['prompts/list', 'list'],
  ['tools/call', 'decided'],
  ['resources/read', 'decided'],
  ['resources/subscribe', 'decided'],
  ['subscriptions/listen', 'decided'],
  ['prompts/get', 'decided'],
  ['completion/complete', 'decided'],
  ['resources/unsubscribe', 'open'],
  ['logging/setLevel', 'open'],
  ['tasks/get', 'open'],
  ['tasks/result', 'open'],
  ['tasks/list', 'open'],
  ['tasks/cancel', 'open'],
  ['tasks/update', 'open'],
])

/** For each method, the parameter that the `Mcp-Name` header repeats. Only for MCP revisions that require this header. */
export const mirroredNames: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** Requests that the policy decides and that do not exist in the MCP revision without sessions. */
export const removedRequests: ReadonlySet<string> = new Set(['resources/subscribe'])

/** The notifications of clients that are known. All other notifications are dropped. */
export const clientNotifications: ReadonlyMap<string, ClientHandling> = new Map([
  ['notifications/initialized', 'always'],
  ['notifications/cancelled', 'open'],
  ['notifications/progress', 'open'],
  ['notifications/roots/list_changed', 'open'],
  ['notifications/tasks/status', 'open'],
])

/** The requests of tool servers that are known. All other requests get an error. */
export const serverRequests: ReadonlyMap<string, 'always' | 'open'> = new Map([
  ['ping', 'always'],
  ['sampling/createMessage', 'open'],
  ['elicitation/create', 'open'],
  ['roots/list', 'open'],
  ['tasks/get', 'open'],
  ['tasks/result', 'open'],
  ['tasks/list', 'open'],
  ['tasks/cancel', 'open'],
])

/** The notifications of tool servers that are known. They pass while the edge is open. All other notifications are dropped. */
export const serverNotifications: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/progress',
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/subscriptions/acknowledged',
  'notifications/elicitation/complete',
  'notifications/tasks',
  'notifications/tasks/status',
])

/** The fields that a message may have. Messages with other fields are refused. */
export const envelopeKeys: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])

const retry = ['inputResponses', 'requestState']

/**
 * For each method, the parameters that a request may have. Requests with other parameters are refused, because the policy
 * could not take them into account.
 */
export const knownParams: Readonly<Record<string, ReadonlySet<string>>> = {
  'tools/call': new Set(['_meta', 'name', 'arguments', 'task', ...retry]),
  'resources/read': new Set(['_meta', 'uri', ...retry]),
  'resources/subscribe': new Set(['_meta', 'uri']),
  'subscriptions/listen': new Set(['_meta', 'notifications']),
  'prompts/get': new Set(['_meta', 'name', 'arguments', ...retry]),
  'completion/complete': new Set(['_meta', 'ref', 'argument', 'context']),
  'tools/list': new Set(['_meta', 'cursor']),
  'resources/list': new Set(['_meta', 'cursor']),
  'resources/templates/list': new Set(['_meta', 'cursor']),
  'prompts/list': new Set(['_meta', 'cursor']),
}

/** The notifications that a client may subscribe to in `subscriptions/listen`. */
export const subscriptionFilters: ReadonlySet<string> = new Set([
  'toolsListChanged',
  'promptsListChanged',
  'resourcesListChanged',
  'resourceSubscriptions',
  'taskIds',
])
