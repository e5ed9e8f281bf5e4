import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { type NamedKind, namedKinds, offersNames } from '@mandate/contract/endpoint/names'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { Content, type Handler, RawJson, Reply, type Route } from '../../http/routes/route.ts'
import { type FoundIds, idFinder, noIds } from './find-ids.ts'
import { findNames, findRemovedUserNames, type NamedRow } from './queries.ts'

/**
 * Returns the route with `include=names`: if the request asks for names, the field `names` is added to the response. Returns
 * the route unchanged if its endpoint does not offer names.
 */
export function withNames(route: Route): Route {
  const { endpoint, handle, options } = route
  if (!offersNames(endpoint)) return route
  const findIds = idFinder(endpoint.answers[200]!)
  const named: Handler<Endpoint> = async (ctx, input) => {
    const query = input.query as NamedQuery
    if (!query.include?.includes('names')) return await handle(ctx, input)
    const answer = await handle(ctx, { ...input, query: withoutNames(query) as never })
    const parsed = bodyOf(answer)
    if (parsed === undefined) return answer
    const found = noIds()
    findIds(parsed, found)
    return withField(answer, await namesOf(ctx as Ctx<Member>, found)) as never
  }
  const { readsAhead } = options
  if (!readsAhead) return { ...route, handle: named }
  // A read with names takes more than one statement.
  const isShort: typeof readsAhead = (query, actor) =>
    !(query as NamedQuery).include?.includes('names') && readsAhead(query, actor)
  return { ...route, handle: named, options: { ...options, readsAhead: isShort } }
}

type NamedQuery = { include?: string[] }

/** Verbs get the query without `names`, because only this module adds them. */
function withoutNames({ include = [], ...query }: NamedQuery): NamedQuery {
  const others = include.filter((part) => part !== 'names')
  return others.length === 0 ? query : { ...query, include: others }
}

/** Returns the JSON body of a response, parsed. Undefined for a response that is not JSON, such as the page of a report. */
function bodyOf(answer: unknown): unknown {
  if (answer instanceof RawJson) return JSON.parse(answer.text)
  if (answer instanceof Reply) return bodyOf(answer.body)
  return answer instanceof Content ? undefined : answer
}

function withField(answer: unknown, names: Record<string, string>): unknown {
  if (answer instanceof RawJson) return new RawJson(`${answer.text.slice(0, -1)},"names":${JSON.stringify(names)}}`)
  if (answer instanceof Reply) return new Reply(withField(answer.body, names), answer.options)
  return { ...(answer as object), names }
}

/** Returns the names of all ids that were found, if the object exists and the caller sees it. */
async function namesOf(ctx: Ctx<Member>, { referred, named }: FoundIds): Promise<Record<string, string>> {
  const found = await Promise.all(
    namedKinds.map((kind) => {
      const ids = [...referred[kind]].filter((id) => !named.has(id))
      return ids.length === 0 ? [] : lookUp(ctx, kind, ids)
    }),
  )
  return Object.fromEntries([...named, ...found.flat().map(({ id, name }): [string, string] => [id, name])])
}

async function lookUp({ sql, actor }: Ctx<Member>, kind: NamedKind, ids: readonly string[]): Promise<NamedRow[]> {
  const rows = await findNames(sql, actor, kind, ids)
  if (kind !== 'user' || rows.length === ids.length) return rows
  const present = new Set(rows.map(({ id }) => id))
  const removed = ids.filter((id) => !present.has(id))
  return [...rows, ...(await findRemovedUserNames(sql, removed))]
}
