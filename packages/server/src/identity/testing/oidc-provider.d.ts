/**
 * Types for the part of the package `oidc-provider` that the test issuer uses. Installing the full types of the package would
 * add about twenty packages.
 */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
  type Context = { oidc: { session: { accountId: string }; client: { clientId: string } } }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    Grant: new (of: {
      accountId: string
      clientId: string
    }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string } } | { error: string },
    ): Promise<void>
  }
  export type { Context }
}
