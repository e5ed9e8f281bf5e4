import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { TestAgent } from './control-plane.ts'
import type { Json } from './middle.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const startLimitMs = 30_000

/** `mandate edge run` as a process. */
export interface EdgeProcess {
  url: string
  token: string
  stateDir: string
  child: ChildProcess
  output(): string
}

/** Starts one, until it listens. Ends with the test. `fileLimitKb` is the longest file it may write. */
export async function startEdgeProcess(
  controlPlane: string,
  agent: TestAgent,
  stateDir: string,
  { fileLimitKb, settings = {} }: { fileLimitKb?: number; settings?: Record<string, string> } = {},
): Promise<EdgeProcess> {
  const program = `exec node_modules/.bin/node packages/cli/bin/mandate.js edge run`
  const limited = fileLimitKb === undefined ? program : `ulimit -f ${fileLimitKb}; ${program}`
  const child = spawn('bash', ['-c', limited], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      MANDATE_URL: controlPlane,
      MANDATE_EDGE_KEY: agent.key,
      MANDATE_EDGE_AGENTS: agent.id,
      MANDATE_EDGE_STATE: stateDir,
      MANDATE_EDGE_PORT: '0',
      ...settings,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no start:\n${output}`)), startLimitMs)
    child.once('exit', () => reject(new Error(`it ended instead of listening:\n${output}`)))
    child.stderr?.on('data', (chunk) => {
      output += chunk
      const found = /"url":"(http:[^"]+)"/.exec(output)?.[1]
      if (!found) return
      clearTimeout(timer)
      resolve(found)
    })
  })
  const token = await readFile(join(stateDir, 'tokens', agent.id), 'utf8')
  return { url, token, stateDir, child, output: () => output }
}

/** Asks an edge for a decision. */
export async function decideAt(
  { url, token }: Pick<EdgeProcess, 'url' | 'token'>,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${url}/edge/v1/decide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
