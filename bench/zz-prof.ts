import { execSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { cpuTimeOf } from './cpu-time.ts'
import { sendInTurn } from './load.ts'
import { startDatabase, startMandate, untilUp } from './real-server.ts'
import { seed } from './seed.ts'
const [, , kind, ...trees] = process.argv
process.env.NODE_OPTIONS = '--inspect-port=0'
const sides: any[] = []
for (const [at, tree] of trees.entries()) {
  const t = resolve(tree)
  const { migrate } = await import(pathToFileURL(join(t, 'packages/server/src/db/migrate.ts')).href)
  const database = await startDatabase({ max_wal_size: '4GB' }, migrate)
  const tenants = await seed(database.embedded.ownerUrl, 50, 20_000)
  const c = new pg.Client({ connectionString: database.embedded.ownerUrl }); await c.connect(); await c.query('vacuum analyze'); await c.end()
  const server = startMandate(database, 18190 + at, t)
  const url = `http://127.0.0.1:${18190 + at}`
  await untilUp(`${url}/readyz`)
  sides.push({ t, database, tenants, server, url })
}
const load = (side: any, seconds: number) => sendInTurn(side.url, Array.from({ length: 500 }, (_, at) => {
  const tenant = side.tenants[at % side.tenants.length]
  const path = kind === 'get' ? `/agents/${tenant.agentIds[at % tenant.agentIds.length]}` : kind === 'list' ? '/agents' : '/auth/session'
  return { method: 'GET', path: `/api/v1${path}`, headers: { authorization: `Bearer ${tenant.key}` } }
}) as any, seconds)
const cdp = async (side: any) => {
  process.kill(side.server.pid, 'SIGUSR1')
  await new Promise((r) => setTimeout(r, 1000))
  const port = /127\.0\.0\.1:(\d+)/.exec(execSync(`ss -ltnp | grep 'pid=${side.server.pid},' | grep -v :1819`).toString())?.[1]
  const list = await (await fetch(`http://127.0.0.1:${port}/json`)).json() as any
  const ws = new WebSocket(list[0].webSocketDebuggerUrl)
  await new Promise((r) => ws.addEventListener('open', r))
  let id = 0; const waits = new Map()
  ws.addEventListener('message', ({ data }: any) => { const m = JSON.parse(data); if (m.id) waits.get(m.id)(m.result) })
  return (method: string, params = {}) => new Promise<any>((r) => { waits.set(++id, r); ws.send(JSON.stringify({ id, method, params })) })
}
for (const side of sides) await load(side, 8)
for (let round = 0; round < Number(process.env.R ?? 4); round++) for (const side of sides) {
  const before = cpuTimeOf(side.server.pid, { withChildren: false })
  const { requests, perSecond } = await load(side, 2)
  console.log(side.t, Math.round(perSecond), 'node µs', ((cpuTimeOf(side.server.pid, { withChildren: false }) - before) / requests).toFixed(1))
}
if (process.env.PROF) for (const [at, side] of sides.entries()) {
  const send = await cdp(side)
  await send('Profiler.enable'); await send('Profiler.setSamplingInterval', { interval: 200 }); await send('Profiler.start')
  const { requests } = await load(side, 8)
  const { profile } = await send('Profiler.stop')
  writeFileSync(`/tmp/prof-${at}.json`, JSON.stringify({ requests, profile }))
}
for (const { server, database } of sides) { server.kill('SIGKILL'); await database.stop() }
process.exit(0)
