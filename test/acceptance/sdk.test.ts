import { createClient } from '@mandate/sdk/client'
import { apiKey } from '@mandate/sdk/credential'
import { MandateError } from '@mandate/sdk/mandate-error'
import { eachOf } from '@mandate/sdk/pages'
import { type SessionTokens, session, tokensOf } from '@mandate/sdk/session'
import { expect, test } from 'vitest'
import { password, register } from './call-api.ts'
import { sharedMandate } from './mandate-process.ts'

const shared = sharedMandate()

test('a program with a key creates agents, reads pages, and gets errors with status and request id', async () => {
  const server = shared()
  const owner = createClient({ url: server.url, credential: apiKey((await register(server)).credential) })
  const { raw_key } = await owner.call('createApiKey', { body: { name: 'sdk' } })
  const client = createClient({ url: server.url, credential: apiKey(raw_key) })
  const environments = await client.call('listEnvironments')
  const environment_id = environments.data[0]!.id
  for (const name of ['one', 'two', 'three']) await client.call('createAgent', { body: { name, environment_id } })
  const names: string[] = []
  const query = { governance_state: 'discovered', page_size: 2 } as const
  for await (const agent of eachOf(client, 'listAgents', { query })) names.push(agent.name)
  expect(names).toEqual(['three', 'two', 'one'])
  const reviewed: string[] = []
  for await (const { id } of eachOf(client, 'listReviews', { query: { limit: 2 } })) reviewed.push(id)
  expect(new Set(reviewed).size).toBe(3)

  const missing = client.call('getAgent', { path: { agent_id: '01900000-0000-7000-8000-000000000000' } })
  const error = (await missing.catch((thrown: unknown) => thrown)) as MandateError
  expect(error).toBeInstanceOf(MandateError)
  expect(error).toMatchObject({ status: 404, message: 'agent not found', requestId: expect.stringMatching(/^\S{8,}$/) })
  const [policy, exported] = await Promise.all([
    client.call('createPolicy', { body: { name: 'guarded' } }),
    client.open('exportAuditEntries'),
  ])
  expect((await exported.text()).split('\n').length).toBeGreaterThan(3)
  const path = { policy_id: policy.id }
  await client.call('updatePolicy', { path, body: { name: 'moved on' }, ifMatch: 1 })
  await expect(client.call('updatePolicy', { path, body: { name: 'stale' }, ifMatch: 1 })).rejects.toMatchObject({
    status: 412,
  })
})

test('a person’s session refreshes once for many calls, and continues with the new tokens', async () => {
  const server = shared()
  const { email } = await register(server)
  const open = createClient({ url: server.url })
  const signedIn = await open.call('signIn', { body: { email, password } })
  const refreshes: SessionTokens[] = []
  const credential = session({
    tokens: { ...tokensOf(signedIn.session), expires_at: 0 },
    refresh: async (refresh_token) => tokensOf((await open.call('refresh', { body: { refresh_token } })).session),
    onRefresh: (tokens) => void refreshes.push(tokens),
  })
  const client = createClient({ url: server.url, credential })
  const answers = await Promise.all([1, 2, 3].map(() => client.call('getSession')))
  expect(answers.map(({ user }) => user.email)).toEqual([email, email, email])
  expect(refreshes).toHaveLength(1)
})

/** A `fetch` that stores and sends cookies as a browser does. */
function browserFetch(): typeof fetch {
  const cookies = new Map<string, string>()
  return async (input, init = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const withCookies = init.credentials === 'include' && cookie !== ''
    const response = await fetch(input, { ...init, headers: { ...init.headers, ...(withCookies && { cookie }) } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes('Max-Age=0')) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
}

test('a web page keeps no refresh token, continues after a reload and in other tabs, and signs out', async () => {
  const server = shared()
  const { email } = await register(server)
  const browser = browserFetch()
  const page = () => createClient({ url: server.url, session: 'cookie', fetch: browser })
  const first = page()
  const { session: opened, user } = await first.call('signIn', { body: { email, password } })
  expect(Object.keys(opened).sort()).toEqual(['access_token', 'expires_in', 'token_type'])
  const tabs = [page(), page(), page()]
  const read = await Promise.all(tabs.map((tab) => tab.call('getSession')))
  expect(read.map((one) => one.user.id)).toEqual([user.id, user.id, user.id])
  const { data } = await first.call('listSessions')
  expect(data.filter(({ current }) => current)).toHaveLength(1)
  await page().call('signOut')
  await expect(page().call('getSession')).rejects.toMatchObject({ status: 401 })
})
