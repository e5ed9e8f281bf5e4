import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { type SessionTokens, session, tokensOf } from './session.ts'
import { serve } from './testing/serve.ts'

/** Starts a service that accepts each access token until it is revoked, and each refresh token once. */
async function service() {
  let number = 1
  let valid = 'access-1'
  const refreshed: string[] = []
  const server = await serve(({ url, headers, body }) => {
    if (url.endsWith('/auth/refresh')) {
      const { refresh_token } = JSON.parse(body)
      refreshed.push(refresh_token)
      if (refresh_token !== `refresh-${number}`)
        return { status: 401, body: { error: 'invalid or expired refresh token' } }
      number++
      valid = `access-${number}`
      const session = { access_token: valid, refresh_token: `refresh-${number}`, token_type: 'Bearer', expires_in: 900 }
      return { status: 200, body: { session } }
    }
    return headers.authorization === `Bearer ${valid}`
      ? { status: 200, body: { data: [] } }
      : { status: 401, body: { error: 'invalid token', code: 401 } }
  })
  const open = createClient({ url: server.url })
  const refresh = async (refresh_token: string) =>
    tokensOf((await open.call('refresh', { body: { refresh_token } })).session)
  return {
    url: server.url,
    refresh,
    refreshed,
    revoke: () => {
      valid = 'none'
    },
  }
}

const first = (expires_at = Date.now() + 900_000): SessionTokens => ({
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  expires_at,
})

describe('a session', () => {
  test('shares one refresh between concurrent calls with a refused token', async () => {
    const { url, refresh, refreshed, revoke } = await service()
    const kept: SessionTokens[] = []
    const onRefresh = (tokens: SessionTokens) => void kept.push(tokens)
    const client = createClient({ url, credential: session({ tokens: first(), refresh, onRefresh }) })
    await client.call('listAgents')
    revoke()
    await Promise.all(Array.from({ length: 10 }, () => client.call('listAgents')))
    expect(refreshed).toEqual(['refresh-1'])
    expect(kept.map(({ refresh_token }) => refresh_token)).toEqual(['refresh-2'])
  })

  test('never sends a refresh token again if onRefresh fails, and calls it again with the tokens before they are used', async () => {
    const { url, refresh, refreshed } = await service()
    const given: string[] = []
    let isFull = true
    const onRefresh = ({ refresh_token }: SessionTokens) => {
      given.push(refresh_token)
      if (isFull) throw new Error('the disk is full')
    }
    const client = createClient({ url, credential: session({ tokens: first(0), refresh, onRefresh }) })
    const calls = [client.call('listAgents'), client.call('listAgents')]
    for (const call of calls) await expect(call).rejects.toThrow('the disk is full')
    await expect(client.call('listAgents')).rejects.toThrow('the disk is full')
    isFull = false
    await client.call('listAgents')
    await client.call('listAgents')
    expect(refreshed).toEqual(['refresh-1'])
    expect(given).toEqual(['refresh-2', 'refresh-2', 'refresh-2'])
  })

  test('refreshes a token that is about to expire before it is sent', async () => {
    const { url, refresh, refreshed } = await service()
    const client = createClient({ url, credential: session({ tokens: first(Date.now() + 1_000), refresh }) })
    await Promise.all([client.call('listAgents'), client.call('listAgents')])
    expect(refreshed).toEqual(['refresh-1'])
  })

  test('does not refresh again if the service refuses a new token', async () => {
    const { url, refresh, refreshed, revoke } = await service()
    const renewed = session({
      tokens: first(),
      refresh: async (token) => {
        const tokens = await refresh(token)
        revoke()
        return tokens
      },
    })
    revoke()
    await expect(createClient({ url, credential: renewed }).call('listAgents')).rejects.toMatchObject({ status: 401 })
    expect(refreshed).toHaveLength(1)
  })

  test('fails the calls with the error of a refused refresh', async () => {
    const { url, refresh } = await service()
    const tokens = { ...first(0), refresh_token: 'used' }
    const client = createClient({ url, credential: session({ tokens, refresh }) })
    await expect(client.call('listAgents')).rejects.toMatchObject({
      status: 401,
      message: 'invalid or expired refresh token',
    })
  })
})
