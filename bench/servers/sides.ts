import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { cpuTimeOf } from '../measure/cpu-time.ts'
import { type BenchDatabase, median, startDatabase, startMandate, untilUp } from './real-server.ts'

/** The server of one source tree, with its own database. */
export interface Side {
  url: string
  server: ChildProcess
  database: BenchDatabase
}

/** Sends load to one server for the given number of seconds. */
export type Load<S extends Side> = (side: S, seconds: number) => Promise<{ requests: number; perSecond: number }>

interface Run {
  perSecond: number
  /** CPU time per request, in microseconds. */
  node: number
  postgres: number
}

const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const warmUpSeconds = Number(process.env.BENCH_WARM_UP ?? 8)
const mostRepeats = 4

/**
 * Migrates a database with the migrations of a source tree, fills it and starts the server of this tree. `fill` gets the connection of the
 * owner role, and a function that imports a module of the tree.
 */
export async function startSide<Data>(
  tree: string,
  port: number,
  fill: (client: pg.Client, of: (path: string) => Promise<never>, ownerUrl: string) => Promise<Data>,
): Promise<Side & Data> {
  const of = (path: string): Promise<never> => import(pathToFileURL(join(tree, path)).href) as Promise<never>
  const { migrate } = (await of('packages/server/src/db/schema/migrate.ts')) as {
    migrate: Parameters<typeof startDatabase>[1]
  }
  const database = await startDatabase({ max_wal_size: '4GB' }, migrate)
  const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
  await client.connect()
  const data = await fill(client, of, database.embedded.ownerUrl)
  await client.query('vacuum analyze')
  await client.end()
  const server = startMandate(database, port, tree)
  const url = `http://127.0.0.1:${port}`
  await untilUp(`${url}/readyz`)
  return { url, server, database, ...data }
}

export async function stopSides(sides: readonly Side[]): Promise<void> {
  for (const { server, database } of sides) {
    server.kill('SIGKILL')
    await database.stop()
  }
}

export function printHeader(): void {
  console.log(`median of ${rounds} rounds of ${seconds} s, each server warmed up for ${warmUpSeconds} s`)
  console.log('µs are CPU time per request')
  console.log(
    '| | other, per second | node, µs | PostgreSQL, µs | this, per second | node, µs | PostgreSQL, µs | rate | time |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|')
}

/**
 * Prints the row of one kind of load. The load alternates between the sides. If the median of the ratios of CPU time is over `most`, measures
 * up to `mostRepeats` times as many rounds more, because other work on the machine affects single rounds. Returns the ratio.
 */
export async function compare<S extends Side>(
  name: string,
  [theirs, ours]: readonly [S, S],
  load: Load<S>,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  for (const side of [theirs, ours]) await load(side, warmUpSeconds)
  const pairs: [Run, Run][] = []
  const used = (run: Run) => run.node + run.postgres
  const timeRatio = () => median(pairs.map(([before, after]) => used(after) / used(before)))
  for (let repeats = 0; repeats === 0 || (repeats <= mostRepeats && timeRatio() > most); repeats++) {
    for (let round = 0; round < rounds; round++) pairs.push(await measurePair([theirs, ours], load, round % 2 === 0))
  }
  const of = (side: 0 | 1, field: keyof Run) => Math.round(median(pairs.map((pair) => pair[side][field])))
  const cells = ([0, 1] as const).flatMap((side) => [of(side, 'perSecond'), of(side, 'node'), of(side, 'postgres')])
  const rate = median(pairs.map(([before, after]) => after.perSecond / before.perSecond))
  const time = timeRatio()
  console.log(`| ${[name, ...cells, rate.toFixed(2), time.toFixed(2)].join(' | ')} |`)
  return time
}

/** The sides take turns in being first, so that neither gains from what the machine did before. */
async function measurePair<S extends Side>([theirs, ours]: readonly [S, S], load: Load<S>, theirsFirst: boolean) {
  if (theirsFirst) return [await measure(theirs, load), await measure(ours, load)] as [Run, Run]
  const after = await measure(ours, load)
  return [await measure(theirs, load), after] as [Run, Run]
}

async function measure<S extends Side>(side: S, load: Load<S>): Promise<Run> {
  const used = () => ({
    node: cpuTimeOf(side.server.pid as number, { withChildren: false }),
    postgres: cpuTimeOf(side.database.embedded.pid, { withChildren: true }),
  })
  const before = used()
  const { requests, perSecond } = await load(side, seconds)
  const after = used()
  return {
    perSecond,
    node: (after.node - before.node) / requests,
    postgres: (after.postgres - before.postgres) / requests,
  }
}
