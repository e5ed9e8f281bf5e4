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

async function runLoad(url: string, script: string, seconds: number): Promise<{ requests: number; perSecond: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-bench-'))
  const file = join(folder, 'requests.lua')
  await writeFile(file, script)
  const { stdout } = await run('wrk', ['-t1', '-c16', `-d${seconds}s`, '--timeout', '10s', '-s', file, url])
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
