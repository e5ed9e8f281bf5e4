import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface GitHubServer {
  /** URL of the server's REST API, with a path like that of GitHub Enterprise Server. */
  baseUrl: string
  host: string
  /** The path and query of each request. */
  asked: string[]
  installations: object[]
  /** Called for each request before the API. If it returns true, it has handled the request, and the API does not. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  stop(): Promise<void>
}

export const token = 'ghp_0123456789abcdef'
export const organization = 'engines'

/** An installation as GitHub returns it, with more fields than Mandate reads. */
export function installation(id: number, slug: string) {
  const html_url = `https://github.com/organizations/${organization}/settings/installations/${id}`
  return {
    id,
    app_id: id + 1000,
    app_slug: slug,
    repository_selection: 'all',
    html_url,
    suspended_at: null,
    events: [],
  }
}

/** Serves `GET /orgs/{org}/installations` as GitHub does: bearer token, `per_page`, `page`, `Link` and its error bodies. */
export async function startGitHubServer(): Promise<GitHubServer> {
  const server = createServer((request, response) => {
    github.asked.push(request.url ?? '')
    if (github.instead?.(request, response)) return
    const url = new URL(request.url ?? '', `http://${github.host}`)
    if (request.headers.authorization !== `Bearer ${token}`) return send(response, 401, { message: 'Bad credentials' })
    if (url.pathname !== `/api/v3/orgs/${organization}/installations`)
      return send(response, 404, { message: 'Not Found' })
    const perPage = Math.min(Number(url.searchParams.get('per_page') ?? 30), pageLimit)
    const page = Number(url.searchParams.get('page') ?? 1)
    const pages = Math.ceil(github.installations.length / perPage)
    const link = (to: number, rel: string) => {
      const query = new URLSearchParams({ per_page: String(perPage), page: String(to) })
      return `<${url.origin}${url.pathname}?${query}>; rel="${rel}"`
    }
    const links = [page > 1 && link(page - 1, 'prev'), page < pages && link(page + 1, 'next'), link(pages, 'last')]
    const shown = github.installations.slice((page - 1) * perPage, page * perPage)
    const body = { total_count: github.installations.length, installations: shown }
    send(response, 200, body, pages > 1 ? { link: links.filter(Boolean).join(', ') } : {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const github: GitHubServer = {
    baseUrl: `http://${host}/api/v3`,
    host,
    asked: [],
    installations: [],
    instead: undefined,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return github
}

// Returns fewer items per page than requested, because the GitHub API may do this too.
const pageLimit = 2

export function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
