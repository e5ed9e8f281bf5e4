import { newId } from '../../../db/ids/new-id.ts'
import { type ApiAnswer, apiClient } from '../../../testing/api-client.ts'
import type { TestServer } from '../../../testing/start-test-server.ts'

export const password = 'correct horse battery'

export function newAddress(domain = 'example.com'): string {
  return `ada-${newId()}@${domain}`
}

export function registration(email = newAddress()) {
  return { email, password, organization: 'Analytical Engines' }
}

export interface Registered {
  tenantId: string
  userId: string
  email: string
  accountId: string
  session: { access_token: string; refresh_token: string }
}

/** Registers a person with a new tenant and a password over HTTP. */
export async function registerPerson(server: TestServer, email = newAddress()): Promise<Registered> {
  const { status, body } = await apiClient(server.url).post('/auth/register', registration(email))
  if (status !== 201) throw new Error(`registration failed with status ${status}: ${JSON.stringify(body)}`)
  const { rows } = await server.owner.query('select account_id from users where id = $1', [body.user.id])
  return {
    tenantId: body.tenant.id,
    userId: body.user.id,
    email,
    accountId: rows[0].account_id,
    session: body.session,
  }
}

export function signIn(server: TestServer, email: string, secret = password, otp?: string): Promise<ApiAnswer> {
  return apiClient(server.url).post('/auth/sign-in', { email, password: secret, ...(otp && { otp }) })
}
