import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import type { ApiAnswer } from '../testing/api-client.ts'
import type { Credential, World } from './world.ts'

export interface CallOptions {
  body?: unknown
  /** Values of path parameters. Default: the ids of the test data (`World.ids`). */
  params?: Record<string, string>
  query?: string
  headers?: Record<string, string>
}

/** Calls an endpoint with one of the credentials in the test data. Replaces path parameters by ids of the test data. */
export function callEndpoint(
  world: World,
  endpoint: Endpoint,
  credential: Credential,
  { body, params = world.ids, query, headers = {} }: CallOptions,
): Promise<ApiAnswer> {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`world.ts has no value for the path parameter ${name}`)
    return value
  })
  const target = `${endpoint.absolute ? '/' : ''}${path}${query === undefined ? '' : `?${query}`}`
  const client = world.as[credential]
  switch (endpoint.method) {
    case 'GET':
      return client.get(target, headers)
    case 'POST':
      return client.post(target, body, headers)
    case 'PUT':
      return client.put(target, body, headers)
    case 'PATCH':
      return client.patch(target, body, headers)
    case 'DELETE':
      return client.delete(target, body, headers)
  }
}

/** Returns the credential that has the most rights at an endpoint. */
export function strongestCredential(endpoint: Endpoint): Credential {
  if (endpoint.access.by === 'public') return 'nothing'
  return endpoint.access.by === 'edge' ? 'edge_key' : 'owner'
}
