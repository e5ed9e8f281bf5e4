import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Request {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

/** Sends requests in turn with `wrk`, over 16 connections and one thread. Returns the number of responses and the rate. */
export function sendInTurn(
  baseUrl: string,
  requests: Request[],
  seconds: number,
): Promise<{ requests: number; perSecond: number }> {
  return runLoad(baseUrl, luaScript(requests), seconds)
}

/** Posts the bodies in turn to one path with one credential, starting with the first. */
export async function postInTurn(
  url: string,
  { bodies, credential, seconds }: { bodies: readonly string[]; credential: string; seconds: number },
): Promise<{ requests: number; perSecond: number }> {
  const file = join(await mkdtemp(join(tmpdir(), 'mandate-bench-')), 'bodies')
  await writeFile(file, bodies.join('\n'))
  const script = `local bodies = {}
init = function() for line in io.lines(${JSON.stringify(file)}) do bodies[#bodies + 1] = line end end
local next = 0
local headers = {["authorization"] = "Bearer ${credential}", ["content-type"] = "application/json"}
request = function() next = next % #bodies + 1 return wrk.format("POST", nil, headers, bodies[next]) end
`
  return await runLoad(url, script, seconds).finally(() => rm(dirname(file), { recursive: true }))
}

export interface RatedLoad {
  requests: readonly { credential: string; body: string }[]
  seconds: number
  perSecond: number
}

/**
 * Posts the bodies in random order to one path, each with its credential, at about the given rate. The requests arrive at random times over
 * 128 connections.
 */
export async function postAtRate(
  url: string,
  { requests, seconds, perSecond }: RatedLoad,
): Promise<{ requests: number; perSecond: number }> {
  const file = join(await mkdtemp(join(tmpdir(), 'mandate-bench-')), 'requests')
  await writeFile(file, requests.map(({ credential, body }) => `${credential} ${body}`).join('\n'))
  // The pause of a connection between two requests, in milliseconds.
  const pauseMs = (1000 * pacedConnections) / perSecond
  const script = `local requests = {}
init = function()
  for line in io.lines(${JSON.stringify(file)}) do requests[#requests + 1] = line end
  math.randomseed(os.time())
end
delay = function() return math.random(0, ${Math.round(2 * pauseMs)}) end
request = function()
  local credential, body = string.match(requests[math.random(#requests)], "^(%S+) (.*)$")
  local headers = {["authorization"] = "Bearer " .. credential, ["content-type"] = "application/json"}
  return wrk.format("POST", nil, headers, body)
end
`
  return await runLoad(url, script, seconds, pacedConnections).finally(() => rm(dirname(file), { recursive: true }))
}

const pacedConnections = 128

async function runLoad(
  url: string,
  script: string,
  seconds: number,
  connections = 16,
): Promise<{ requests: number; perSecond: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-bench-'))
  const file = join(folder, 'requests.lua')
  await writeFile(file, script)
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', file, url])
  await rm(folder, { recursive: true })
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)
  if (bad) throw new Error(`${bad[1]} responses were not 2xx:\n${stdout}`)
  const requests = /(\d+) requests in/.exec(stdout)?.[1]
  const perSecond = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]
  if (!requests || !perSecond) throw new Error(`wrk printed no rate:\n${stdout}`)
  return { requests: Number(requests), perSecond: Number(perSecond) }
}

function luaScript(requests: Request[]): string {
  const quote = (text: string) => JSON.stringify(text)
  const lines = requests.map(({ method, path, headers, body }) => {
    const fields = Object.entries(headers).map(([name, value]) => `[${quote(name)}]=${quote(value)}`)
    return `wrk.format(${quote(method)}, ${quote(path)}, {${fields.join(',')}}, ${body === undefined ? 'nil' : quote(body)})`
  })
  return `local all
local next = 0
init = function() all = {${lines.join(',\n')}} end
request = function() next = next % #all + 1 return all[next] end
`
}
