import { request } from '@octokit/request'
import { z } from 'zod'
import { createGuardedFetch } from '../fetch/guarded-fetch.ts'
import { describeFailure, SyncFailure } from './describe-failure.ts'

const publicApi = 'https://api.github.com'
const pageSize = 100
const mostPages = 50
const timeoutMs = 30_000

const Installations = z.object({
  installations: z.array(
    z.object({
      id: z.int().positive(),
      app_id: z.int().positive(),
      app_slug: z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/),
      repository_selection: z.enum(['all', 'selected']),
    }),
  ),
})

export interface GitHubConnection {
  organization: string
  /** Base URL of the REST API; github.com's if undefined. */
  baseUrl: string | undefined
  token: string
  /** True if connections to private addresses are allowed. */
  privateAllowed: boolean
}

/** An agent that was found in a connected platform. `externalId` stays the same in every synchronization. */
export interface Discovered {
  externalId: string
  name: string
  metadata: Record<string, string>
}

/** Names of GitHub's own apps that act as agents, by slug. */
const knownNames: Record<string, string> = {
  'copilot-swe-agent': 'Copilot coding agent',
  'github-actions': 'GitHub Actions',
}

/**
 * Returns the apps that are installed in an organization, each app once. Takes at most 30 seconds and 50 pages of 100.
 * @throws SyncFailure with a sentence for users, which contains neither the secret nor text that the server sent
 */
export async function discoverInstallations(connection: GitHubConnection): Promise<Discovered[]> {
  const baseUrl = connection.baseUrl ?? publicApi
  const found = new Map<string, Discovered>()
  try {
    const fetch = createGuardedFetch(connection.privateAllowed, AbortSignal.timeout(timeoutMs))
    let url: string | undefined =
      `${baseUrl}/orgs/${encodeURIComponent(connection.organization)}/installations?per_page=${pageSize}`
    for (let page = 0; url !== undefined; page++) {
      if (page === mostPages)
        throw new SyncFailure(
          `the organization has more than ${mostPages * pageSize} installations on GitHub, which Mandate does not support`,
        )
      const answer = await request({
        method: 'GET',
        url,
        headers: { authorization: `Bearer ${connection.token}`, 'x-github-api-version': '2022-11-28' },
        request: { fetch },
      })
      if (answer.status !== 200) throw new SyncFailure(`GitHub returned an unexpected status (${answer.status})`)
      for (const each of Installations.parse(answer.data).installations) {
        const agent = agentOf(each, connection.organization, new URL(baseUrl).host)
        found.set(agent.externalId, agent)
      }
      url = nextPage(answer.headers.link, baseUrl)
    }
  } catch (error) {
    throw describeFailure(error)
  }
  return [...found.values()]
}

type Installation = z.output<typeof Installations>['installations'][number]

function agentOf(installation: Installation, organization: string, host: string): Discovered {
  const { id, app_id, app_slug, repository_selection } = installation
  return {
    // Each GitHub server numbers its installations itself, so the host is part of the id.
    externalId: `${host}/installations/${id}`,
    name: knownNames[app_slug] ?? app_slug,
    metadata: { organization, app_slug, app_id: String(app_id), installation_id: String(id), repository_selection },
  }
}

/** Returns the address of the next page. A URL on another host is refused, because the request would send it the token. */
function nextPage(link: string | undefined, baseUrl: string): string | undefined {
  const [, next] = /<([^<>]*)>\s*;[^,]*\brel="?next\b/.exec(link ?? '') ?? []
  if (next === undefined) return undefined
  const sameOrigin = URL.canParse(next) && new URL(next).origin === new URL(baseUrl).origin
  if (!sameOrigin) throw new SyncFailure('GitHub returned a link to a next page on another server')
  return new URL(next).href
}
