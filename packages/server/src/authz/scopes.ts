/**
 * Returns whether the scopes of an API key permit a request. `resource` is the first segment of the API path. An empty list
 * permits everything, and so does `*`.
 */
export function scopesPermit(scopes: readonly string[], resource: string, method: string): boolean {
  if (scopes.length === 0) return true
  const wanted = method === 'GET' || method === 'HEAD' ? 'read' : 'write'
  return scopes.some((scope) => {
    if (scope === '*') return true
    const [name, action] = scope.split(':')
    return (name === '*' || name === resource) && (action === '*' || action === wanted)
  })
}

/**
 * True if `outer` permits every request that `inner` permits. An API key can only create keys whose scopes are within its own
 * scopes.
 */
export function scopesWithin(inner: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0 || outer.includes('*')) return true
  if (inner.length === 0 || inner.includes('*')) return false
  return inner.every((scope) => {
    const [resource = '', action = ''] = scope.split(':')
    const actions = action === '*' ? ['read', 'write'] : [action]
    return actions.every((each) => outer.some((other) => covers(other, resource, each)))
  })
}

function covers(scope: string, resource: string, action: string): boolean {
  const [otherResource, otherAction] = scope.split(':')
  return (otherResource === '*' || otherResource === resource) && (otherAction === '*' || otherAction === action)
}
