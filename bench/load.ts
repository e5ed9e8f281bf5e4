import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Request {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

/** Requests per second that `wrk` gets out of a server with these requests in turn, 16 connections, one thread. */
export async function requestsPerSecond(baseUrl: string, requests: Request[], seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-bench-'))
  const script = join(folder, 'requests.lua')
  await writeFile(script, luaScript(requests))
  const { stdout } = await run('wrk', ['-t1', '-c16', `-d${seconds}s`, '-s', script, baseUrl])
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)
  if (bad) throw new Error(`${bad[1]} answers were not 2xx:\n${stdout}`)
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)
  if (!rate) throw new Error(`wrk printed no rate:\n${stdout}`)
  return Number(rate[1])
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
