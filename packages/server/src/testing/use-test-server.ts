import { afterAll, beforeAll } from 'vitest'
import type { Config } from '../config.ts'
import { createTenant, type TestTenant } from './arrange.ts'
import { startTestServer, type TestServer } from './start-test-server.ts'

/**
 * A server for the tests of a file or of a `describe`. It runs from their first hook to their last one; reading it earlier throws.
 * `overrides` is a function if it needs what other hooks prepare.
 */
export function useTestServer(overrides: Partial<Config> | (() => Partial<Config>) = {}): TestServer {
  return prepared(
    () => startTestServer(typeof overrides === 'function' ? overrides() : overrides),
    (server) => server.stop(),
  )
}

/** A tenant of that server, with an owner, made before the tests. */
export function useTenant(server: TestServer): TestTenant {
  return prepared(() => createTenant(server))
}

/** Stands for what `prepare` resolves to: before the tests nothing can be read of it. */
function prepared<T extends object>(prepare: () => Promise<T>, end?: (value: T) => Promise<void>): T {
  let value: T | undefined
  const ready = (): T => {
    if (value === undefined) throw new Error('this is ready when the tests run, not while they are collected')
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
