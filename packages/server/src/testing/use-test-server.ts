import { afterAll, beforeAll } from 'vitest'
import type { Config } from '../config.ts'
import { createTenant, type TestTenant } from './arrange.ts'
import { startTestServer, type TestServer } from './start-test-server.ts'

/** The server of this worker. Files of a worker share their modules, so they also share this variable. */
let shared: Promise<TestServer> | undefined

/**
 * Returns a server for the tests of a file or of a `describe` block. Before the first hook of the block has run, reading a property of the
 * server throws an error.
 *
 * Without `overrides` it is the server of the worker, with one database for many files: a test creates its own tenant, and expects nothing
 * of other tenants. It runs until the worker ends.
 */
export function useTestServer(overrides?: Partial<Config> | (() => Partial<Config>)): TestServer {
  if (overrides !== undefined) return useOwnServer(overrides)
  return prepared(() => {
    shared ??= startTestServer()
    return shared
  })
}

/**
 * Starts a server with a database of its own before the tests of the file or block, and stops it after them. Use it for tests that read whole
 * tables, run jobs for all tenants, change the server or its schema, or close an app of its services (that ends its event streams). If `overrides` needs values that other hooks prepare, pass `overrides` as a function.
 */
export function useOwnServer(overrides: Partial<Config> | (() => Partial<Config>) = {}): TestServer {
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
