import { afterAll, beforeAll } from 'vitest'
import type { Config } from '../config.ts'
import { createTenant, type TestTenant } from './arrange.ts'
import { startTestServer, type TestServer } from './start-test-server.ts'

/**
 * Starts a server for the tests of a file or of a `describe` block. The server runs from the first hook of the block to the
 * last. Before the first hook has run, reading a property of the server throws an error. If `overrides` needs values that other
 * hooks prepare, pass `overrides` as a function.
 */
export function useTestServer(overrides: Partial<Config> | (() => Partial<Config>) = {}): TestServer {
  return prepared(
    () => startTestServer(typeof overrides === 'function' ? overrides() : overrides),
    (server) => server.stop(),
  )
}

/** Creates a tenant with an owner on this server, before the tests run. */
export function useTenant(server: TestServer): TestTenant {
  return prepared(() => createTenant(server))
}

/** Returns a proxy for the value that `prepare` resolves to. Its properties can only be read while the tests run. */
function prepared<T extends object>(prepare: () => Promise<T>, end?: (value: T) => Promise<void>): T {
  let value: T | undefined
  const ready = (): T => {
    if (value === undefined)
      throw new Error('the test server or tenant is not ready: use it only in a test or in a later hook')
    return value
  }
  beforeAll(async () => {
    value = await prepare()
  })
  if (end) afterAll(() => value && end(value))
  return new Proxy({} as T, {
    get: (_target, name) => Reflect.get(ready(), name),
    has: (_target, name) => Reflect.has(ready(), name),
    ownKeys: () => Reflect.ownKeys(ready()),
    getOwnPropertyDescriptor: (_target, name) => Reflect.getOwnPropertyDescriptor(ready(), name),
  })
}
