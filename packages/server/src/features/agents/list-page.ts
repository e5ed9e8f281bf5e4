import { sql as fragment, type RawBuilder } from 'kysely'
import { slot } from '../../db/shaped-statement.ts'
import { isPageOfIndex, type Narrowing } from './list-narrowing.ts'

// A limit that is a parameter is planned as a tenth of all there is. This one above it tells the truth, without which the
// statement would look cheaper planned anew for every request, and be.
const mostRead = fragment.raw('201')
const atMostAPage = (rows: RawBuilder<unknown>) =>
  fragment`select * from (${rows} limit ${mostRead}) x limit ${slot('more')}`

// A page of the newest agents is nearly always there; so many are looked at one by one before candidates are asked for.
const lookedAtFirst = 1000
// And so many more where the first hold so large a share of a page that these should fill it.
const lookedAtNext = 4000
// More candidates than this are no shorter way than looking on: where there are so many, a page of them should be near.
const fewCandidates = 20_000
// Of several narrowings one may leave far fewer than the others, whose candidates are then not all gathered first.
const veryFewCandidates = 500

const number = (value: number) => fragment.raw<number>(String(value))
const and = (conditions: RawBuilder<unknown>[]) => fragment.join(conditions, fragment` and `)

/** A select of the rows of agents of a page and of the one after it, newest first, after `afterId` on a later page. */
export function pageOfAgents(narrowings: Narrowing[], isLaterPage: boolean): RawBuilder<unknown> {
  const listed = and([
    fragment`a.tenant_id = ${slot('tenantId')} and a.governance_state = ${slot('governance_state')}`,
    ...(isLaterPage ? [fragment`a.id < ${slot('afterId')}`] : []),
  ])
  if (!isPageOfIndex(narrowings)) return searchedPage(listed, narrowings)
  const wanted = and([listed, ...narrowings.map(({ condition }) => condition)])
  return atMostAPage(fragment`select a.* from agents a where ${wanted} order by a.id desc`)
}

/**
 * A page that no index has: of the newest agents if they fill it, and else also of the candidates of the first narrowing that
 * leaves few, or, if none does, of all that follow. The candidates' rows are read by key, newest first, until the page is
 * full, whatever the planner thinks of their number.
 */
function searchedPage(listed: RawBuilder<unknown>, narrowings: Narrowing[]): RawBuilder<unknown> {
  const fitting = fittingOf(narrowings)
  const attempts = attemptsAt(narrowings)
  const afterFirst = and([listed, fragment`a.id < (select id from last_of_first) and ${isNearlyAPage}`])
  const horizon = fragment<string>`(select id from horizon)`
  const afterAll = and([listed, fragment`a.id < ${horizon}`, isVain(attempts.at(-1) as Attempt)])
  return fragment`
    with q as materialized (select ${slot('now')}::timestamptz as now),
    first as materialized (${lookAt(listed, fragment`limit ${number(lookedAtFirst)}`, fitting)}),
    last_of_first as materialized (
      ${lastOf(and([listed, isShort(fragment`first`)]), lookedAtFirst)}),
    next as materialized (${lookAt(afterFirst, fragment`limit ${number(lookedAtNext)}`, fitting)}),
    horizon as materialized (
      select id from last_of_first where not ${isNearlyAPage}
      union all (${lastOf(and([afterFirst, isShort(fragment`first union all select id from next`)]), lookedAtNext)})),
    ${fragment.join(attempts.map((attempt, at) => candidatesOf(attempt, attempts[at - 1], horizon)))},
    page as (${atMostAPage(fragment`
      select id from first union all select id from next
      ${fragment.join(
        attempts.map((attempt) => fromCandidates(attempt, listed, fitting)),
        fragment``,
      )}
      union all (${lookAt(afterAll, fragment`offset 0`, fitting)})
      order by id desc`)})
    select a.* from page join agents a on a.tenant_id = ${slot('tenantId')} and a.id = page.id`
}

/** What a row `a` of agents must pass to be on the page. */
function fittingOf(narrowings: Narrowing[]): RawBuilder<unknown> {
  const joined = narrowings.flatMap((narrowing) => narrowing.joined ?? [])
  const conditions = narrowings.map(({ condition }) => condition)
  return fragment`cross join q ${fragment.join(joined, fragment` `)} where ${and(conditions)}`
}

const isShort = (of: RawBuilder<unknown>) =>
  fragment`(select count(*) from (select id from ${of}) x) < ${slot('more')}::int`
const isNearlyAPage = fragment`((select count(*) from first) * ${number(1 + lookedAtNext / lookedAtFirst)} >= ${slot('more')}::int)`

const lookAt = (where: RawBuilder<unknown>, limit: RawBuilder<unknown>, fitting: RawBuilder<unknown>) =>
  atMostAPage(fragment`select a.id from (select a.* from agents a where ${where} order by a.id desc ${limit}) a ${fitting}
    order by a.id desc`)

/** The id of the last of so many agents; nothing where there are fewer. */
const lastOf = (where: RawBuilder<unknown>, count: number) =>
  fragment`select a.id from agents a where ${where} order by a.id desc offset ${number(count - 1)} limit 1`

interface Attempt {
  narrowing: Narrowing
  /** The name of its candidates, and how many of them are few enough. */
  few: RawBuilder<unknown>
  limit: number
}

function attemptsAt(narrowings: Narrowing[]): Attempt[] {
  const limits = narrowings.length === 1 ? [fewCandidates] : [veryFewCandidates, fewCandidates]
  return limits.flatMap((limit) =>
    narrowings.map((narrowing, at) => ({ narrowing, few: fragment.raw(`few_${limit}_${at}`), limit })),
  )
}

const countOf = ({ few }: Attempt) => fragment`(select count(*) from ${few})`
const isVain = (attempt: Attempt) => fragment`${countOf(attempt)} > ${number(attempt.limit)}`

/** Looked up when the newest do not fill the page and the attempt before, if any, was vain. */
function candidatesOf({ narrowing, few, limit }: Attempt, before: Attempt | undefined, horizon: RawBuilder<string>) {
  const isDue = before ? isVain(before) : fragment`${horizon} is not null`
  return fragment`${few} as materialized (
    select n.agent_id from (${narrowing.candidates(horizon, number(limit + 1))}) n where ${isDue})`
}

const fromCandidates = (attempt: Attempt, listed: RawBuilder<unknown>, fitting: RawBuilder<unknown>) => fragment`
  union all (${atMostAPage(fragment`select a.id
    from (select agent_id from ${attempt.few} where ${countOf(attempt)} <= ${number(attempt.limit)} order by agent_id desc) n
    cross join lateral (select a.* from agents a where a.id = n.agent_id and ${listed} offset 0) a ${fitting}
    order by n.agent_id desc`)})`
