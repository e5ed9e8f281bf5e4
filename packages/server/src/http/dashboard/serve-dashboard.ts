import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { endpoints } from '@mandate/contract/endpoints'
import { dashboardPaths } from '@mandate/contract/words/dashboard-paths'
import { loopbackNames } from '@mandate/contract/words/loopback-names'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { prefersHtml } from '../input/prefers-html.ts'
import { basePathOf } from '../routes/base-path.ts'
import { pageHeaders } from './page-headers.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Sends the page of the dashboard. There only if the dashboard is built. */
    sendPage(): FastifyReply
  }
}

/** The folder that `npm run build:web` fills. `npm ci` runs it. */
export const builtFolder = fileURLToPath(new URL('dist/', import.meta.resolve('@mandate/web/package.json')))

const notBuilt = 'the dashboard is not built: run npm run build:web, and start the server again'

/**
 * Serves the dashboard: its files under `/assets`, which have a hash of their content in their names and are cached for ever, and one page for
 * each of its paths, which is not cached. `config.publicUrl` is the address at which browsers reach the server; with the port 0, it is known only
 * when the server listens. `folder` is an absolute path.
 */
export function serveDashboard(app: FastifyInstance, config: Pick<Config, 'publicUrl'>, folder = builtFolder): void {
  const isBuilt = existsSync(join(folder, 'index.html'))
  if (isBuilt) {
    serveFiles(app, folder)
    app.decorateReply('sendPage', pageSender(folder, config))
  }
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const elsewhere = otherLoopbackName(request, config.publicUrl)
    if (elsewhere) return reply.redirect(elsewhere)
    if (!isBuilt) return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt)
    return reply.sendPage()
  }
  for (const path of dashboardPaths) {
    const route = path.replaceAll('{id}', ':id')
    app.get(route, answer)
    // Without this, `/agents/` would be an agent with an empty id.
    if (path !== '/') redirectFromSlash(app, route, config)
  }
  for (const { path } of [endpoints.readDocs, endpoints.readGettingStarted]) redirectFromSlash(app, path, config)
}

/** Redirects the address of a page with a slash at its end to the page. */
function redirectFromSlash(app: FastifyInstance, route: string, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  app.get(`${route}/`, (request, reply) => reply.redirect(basePathOf(publicUrl) + addressOf(route, request)))
}

/**
 * Serves the files of the folder. They are listed when the server starts, so that no path of a request is ever looked up on the disk. All
 * assets share one route: a route for each of these hundreds of files would take a tenth of the time of a start.
 */
function serveFiles(app: FastifyInstance, folder: string): void {
  const assetsFolder = join(folder, 'assets/')
  app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    setHeaders: (reply, path) => void reply.headers(headersOf(path.startsWith(assetsFolder))),
    cacheControl: false,
  })
  const assets = new Set(uncompressedIn(assetsFolder))
  app.get<{ Params: { name: string } }>('/assets/:name', ({ params: { name } }, reply) =>
    assets.has(name) ? reply.sendFile(`assets/${name}`) : reply.callNotFound(),
  )
  for (const name of uncompressedIn(folder)) app.get(`/${name}`, (_request, reply) => reply.sendFile(name))
}

/**
 * Returns a function that sends the page. Its addresses begin at the root of the host. If `publicUrl` has a path, they get this path.
 */
function pageSender(folder: string, { publicUrl }: Pick<Config, 'publicUrl'>): FastifyReply['sendPage'] {
  const basePath = basePathOf(publicUrl)
  const page = readPage(folder, basePath)
  return function (this: FastifyReply) {
    if (basePath === '') return this.sendFile('index.html')
    return this.type('text/html; charset=utf-8').headers(headersOf(false)).send(page)
  }
}

/** Reads the page of the dashboard. Its addresses begin with `basePath`. */
export const readPage = (folder: string, basePath: string): string =>
  readFileSync(join(folder, 'index.html'), 'utf8').replaceAll(/(?<= (?:href|src)=")\//g, `${basePath}/`)

/** Returns the names of the files in a folder, without the compressed copies that `preCompressed` finds. */
function uncompressedIn(folder: string): string[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ name }) => name).filter((name) => !/\.(br|gz)$/.test(name))
}

/**
 * Answers a browser that opens an address which is no page and no route: the dashboard says so, with the way back. Returns undefined for other requests.
 */
export function answerNoPage(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const isOfBrowser = request.method === 'GET' && prefersHtml(request.headers.accept)
  if (!isOfBrowser || !request.server.hasReplyDecorator('sendPage') || /^\/(api|assets)\//.test(request.url))
    return undefined
  return reply.code(404).sendPage()
}

/**
 * Returns the path of a page, with the id and the query of a request. The path is made from the route: that of the request could be read as the
 * address of another site, for example with a backslash.
 */
function addressOf(route: string, { url, params }: FastifyRequest): string {
  const { id = '' } = params as { id?: string }
  const path = route.replace(':id', () => encodeURIComponent(id)).replace(/\/+$/, '')
  return path + new URL(url, 'http://here.invalid').search
}

/**
 * Returns the address of the page at `publicUrl` if the browser used another name of this machine. Sessions of browsers belong to one origin, so
 * `localhost` would not work where `PUBLIC_URL` has `127.0.0.1`. With another port, the name is that of a proxy, which may write its own name for
 * every request: a redirect would never end.
 */
function otherLoopbackName({ hostname, port, url }: FastifyRequest, publicUrl: string): string | undefined {
  const known = new URL(publicUrl)
  const isOther = hostname !== known.hostname && loopbackNames.has(hostname) && loopbackNames.has(known.hostname)
  const knownPort = Number(known.port) || null
  if (!isOther || (port ?? null) !== knownPort) return undefined
  // A request may name a whole address instead of a path. Only its path is used, so the redirect never leads to another site.
  const { pathname, search } = new URL(url, known.origin)
  return known.origin + basePathOf(publicUrl) + pathname + search
}

const aYear = 31_536_000

const headersOf = (isHashed: boolean) => ({
  ...pageHeaders,
  'cache-control': isHashed ? `public, max-age=${aYear}, immutable` : 'no-cache',
})
