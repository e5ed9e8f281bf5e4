/** How the edge treats a message of a client, by its method. */
export type ClientHandling =
  /** The message always passes. It opens a session, or it is a ping. */
  | 'always'
  /** The message passes unless the edge is closed (denies every call of the agent). */
  | 'open'
  /**
   * The message requests a list. The edge removes from the answer the entries that the policy denies. While the edge is closed,
   * the answer is an empty list.
   */
  | 'list'
  /** The policy decides whether the message may pass, and the decision is recorded. */
  | 'decided'

/**
 * The request methods that the edge accepts from clients, in all supported revisions of MCP. Requests with other methods are
 * refused.
 */
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

/** Request methods that need a policy decision, and that do not exist in the MCP revision without sessions. */
export const removedRequests: ReadonlySet<string> = new Set(['resources/subscribe'])

/** The notification methods that the edge accepts from clients. Notifications with other methods are dropped. */
export const clientNotifications: ReadonlyMap<string, ClientHandling> = new Map([
  ['notifications/initialized', 'always'],
  ['notifications/cancelled', 'open'],
  ['notifications/progress', 'open'],
  ['notifications/roots/list_changed', 'open'],
  ['notifications/tasks/status', 'open'],
])

/** The request methods that the edge accepts from tool servers. Requests with other methods get an error. */
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

/**
 * The notification methods that the edge accepts from tool servers. These notifications pass unless the edge is closed (denies
 * every call of the agent). Notifications with other methods are dropped.
 */
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
