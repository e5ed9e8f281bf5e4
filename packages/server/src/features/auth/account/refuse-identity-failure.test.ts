import { describe, expect, it } from 'vitest'
import { answerFor } from '../../../http/answers/errors.ts'
import { IdentityFailure } from '../../../identity/failure.ts'
import { refusing } from './refuse-identity-failure.ts'

const answerTo = async (error: Error) =>
  answerFor(await refusing(() => Promise.reject(error)).catch((thrown) => thrown))

describe('a failure of the identity provider', () => {
  it('429 has Retry-After and a numeric code, whether Mandate or the provider throttles', async () => {
    expect(await answerTo(new IdentityFailure('throttled', 'the provider said so'))).toEqual({
      status: 429,
      body: { error: 'too many requests', code: 429 },
      headers: { 'retry-after': '60' },
    })
  })

  it('shows only the text that is meant for people', async () => {
    const weak = await answerTo(new IdentityFailure('weak_password', 'the password is too short'))
    expect(weak).toEqual({ status: 400, body: { error: 'the password is too short' } })
    const secret = 'assertion of ada@example.com'
    for (const kind of ['refused', 'unavailable', 'unknown_account'] as const) {
      expect(JSON.stringify(await answerTo(new IdentityFailure(kind, secret)))).not.toContain(secret)
    }
  })

  it('does not hide an internal error', async () => {
    expect(await answerTo(new Error('a bug'))).toBeNull()
  })
})
