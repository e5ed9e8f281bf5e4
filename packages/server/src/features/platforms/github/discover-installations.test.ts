import { UnsafeAddress } from '@mandate/edge/outgoing/guarded-lookup'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../fetch/guarded-fetch.ts'
import {
  type GitHubServer,
  installation,
  organization,
  send,
  startGitHubServer,
  token,
} from '../testing/github-server.ts'
import { SyncFailure } from './describe-failure.ts'
import { discoverInstallations, type GitHubConnection } from './discover-installations.ts'

let github: GitHubServer
beforeAll(async () => {
  github = await startGitHubServer()
})
afterAll(() => github.stop())
beforeEach(() => {
  github.asked = []
  github.installations = []
  github.instead = undefined
})

const discover = (changed: Partial<GitHubConnection> = {}) =>
  discoverInstallations({ organization, baseUrl: github.baseUrl, token, privateAllowed: true, ...changed })

async function failure(changed: Partial<GitHubConnection> = {}): Promise<string> {
  const error = await discover(changed).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SyncFailure)
  const { message } = error as SyncFailure
  expect(message).not.toContain(token)
  return message
}

describe('the installations of a GitHub organization', () => {
  it('Copilot coding agent, Actions and other apps are found once each, over all pages of the Link header', async () => {
    const slugs = ['copilot-swe-agent', 'github-actions', 'reviewer', 'deployer', 'linter']
    github.installations = [...slugs.map((slug, index) => installation(index + 1, slug)), installation(1, slugs[0]!)]
    const found = await discover()
    expect(found.map(({ name }) => name)).toEqual([
      'Copilot coding agent',
      'GitHub Actions',
      'reviewer',
      'deployer',
      'linter',
    ])
    expect(found[0]).toEqual({
      externalId: `${github.host}/installations/1`,
      name: 'Copilot coding agent',
      metadata: {
        organization,
        app_slug: 'copilot-swe-agent',
        app_id: '1001',
        installation_id: '1',
        repository_selection: 'all',
      },
    })
    expect(github.asked).toHaveLength(3)
    expect(github.asked[0]).toBe(`/api/v3/orgs/${organization}/installations?per_page=100`)
  })

  it('an organization without apps is not a failure', async () => {
    expect(await discover()).toEqual([])
  })

  it('reports a refused token and an unknown organization', async () => {
    expect(await failure({ token: 'wrong' })).toBe(
      'GitHub rejected the auth secret (401); connect the platform again with a valid token',
    )
    expect(await failure({ organization: 'others' })).toMatch(/^the organization does not exist on GitHub/)
  })

  it.each([
    [
      403,
      {},
      'the auth secret may not list the installations of the organization (403); give it the permission Administration (read)',
    ],
    [
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1800000000' },
      'the rate limit of GitHub is used up until 2027-01-15T08:00:00.000Z',
    ],
    [403, { 'retry-after': '60' }, 'the rate limit of GitHub is used up'],
    [429, { 'x-ratelimit-reset': 'soon' }, 'the rate limit of GitHub is used up'],
    [500, {}, 'GitHub could not list the installations (500); try again later'],
    [503, {}, 'GitHub could not list the installations (503); try again later'],
    [422, {}, 'GitHub returned an unexpected status (422)'],
    [204, {}, 'GitHub returned an unexpected status (204)'],
  ])('%i with %j is said without what the server sent', async (status, headers, text) => {
    github.instead = (_request, response) => {
      send(response, status, { message: `secret page ${token}` }, headers as Record<string, string>)
      return true
    }
    expect(await failure()).toBe(text)
  })

  it.each([
    ['{"installations": ['],
    ['<html>'],
    ['[]'],
    ['null'],
    ['{}'],
    [JSON.stringify({ installations: [{ id: 'x' }] })],
    [JSON.stringify({ installations: [installation(1, 'a\u0000b')] })],
    [JSON.stringify({ installations: [installation(1, 'x'.repeat(5000))] })],
    ['{"installations":[{"id":99999999999999999999999,"app_id":1,"app_slug":"a","repository_selection":"all"}]}'],
  ])('a malformed list %s is said to be none', async (body) => {
    github.instead = (_request, response) => {
      send(response, 200, body)
      return true
    }
    expect(await failure()).toBe('GitHub returned an invalid list of installations')
  })

  it('reports a broken connection, an endless response and an unreachable server', async () => {
    github.instead = (request) => {
      request.socket.destroy()
      return true
    }
    expect(await failure()).toBe('GitHub could not be reached')
    github.instead = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(Buffer.alloc(6 * 1024 * 1024, ' '))
      return true
    }
    expect(await failure()).toBe('GitHub could not be reached')
    expect(await failure({ baseUrl: 'http://127.0.0.1:1' })).toBe('GitHub could not be reached')
  })

  it('endless pages stop at the limit', async () => {
    github.instead = (request, response) => {
      send(response, 200, { installations: [] }, { link: `<http://${request.headers.host}/again>; rel="next"` })
      return true
    }
    expect(await failure()).toBe(
      'the organization has more than 5000 installations on GitHub, which Mandate does not support',
    )
    expect(github.asked).toHaveLength(50)
  })

  it('the token is not sent to another server, by a next page or by a redirect', async () => {
    const other = await startGitHubServer()
    try {
      github.instead = (_request, response) => {
        send(response, 200, { installations: [] }, { link: `<${other.baseUrl}/next>; rel="next"` })
        return true
      }
      expect(await failure()).toBe('GitHub returned a link to a next page on another server')
      github.instead = (_request, response) => {
        send(response, 302, {}, { location: `${other.baseUrl}/orgs/${organization}/installations` })
        return true
      }
      expect(await failure()).toBe('GitHub returned an unexpected status (302)')
      expect(other.asked).toEqual([])
    } finally {
      await other.stop()
    }
  })

  it('a private address is refused unless it is allowed, given as a number or as a host name', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const baseUrl = github.baseUrl.replace('127.0.0.1', host)
      expect(await failure({ baseUrl, privateAllowed: false })).toBe(
        'the address of GitHub is private, loopback or link-local, which is not allowed',
      )
    }
    expect(github.asked).toEqual([])
  })

  it('a server that does not respond causes a timeout', async () => {
    github.instead = () => true
    const impatient = createGuardedFetch(true, AbortSignal.timeout(50))
    await expect(impatient(github.baseUrl)).rejects.toMatchObject({ name: 'AbortError' })
    await expect(createGuardedFetch(false, AbortSignal.timeout(5000))(github.baseUrl)).rejects.toBeInstanceOf(
      UnsafeAddress,
    )
  })
})
