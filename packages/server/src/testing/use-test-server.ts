import { afterAll, beforeAll } from 'vitest'
import type { Config } from '../config.ts'
import { createTenant, type TestTenant } from './arrange.ts'
import { startTestServer, type TestServer } from './start-test-server.ts'

/**
 * A server for the tests of a file or of a `describe`. It runs from their first hook to their last one. Reading a property earlier
 * throws. Pass `overrides` as a function if it needs values that other hooks prepare.
 */
export function useTestServer(overrides: Partial<Config> | (() => Partial<Config>) = {}): TestServer {
  return prepared(
    () => startTestServer(typeof overrides === 'function' ? overrides() : overrides),
    (server) => server.stop(),
  )
}

/** A tenant with an owner on this server, created before the tests. */
export function useTenant(server: TestServer): TestTenant {
  return prepared(() => createTenant(server))
}

/** A proxy for the value that `prepare` resolves to. Its properties can be read only while the tests run. */
function prepared<T extends object>(prepare: () => Promise<T>, end?: (value: T) => Promise<void>): T {
  let value: T | undefined
  const ready = (): T => {
    if (value === undefined) throw new Error('this value is available only while the tests run')
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
