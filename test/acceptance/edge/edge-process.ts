import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { TestAgent } from './control-plane.ts'
import type { Json } from './middle.ts'
import { localTokenIn, type ServedEdge, settingsOf } from './served-edge.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const startLimitMs = 120_000

/** A running `mandate edge run` process. */
export interface EdgeProcess extends ServedEdge {
  child: ChildProcess
}

/** Starts an edge as a process, for tests that end or limit the process, and waits until it listens. It stops at the end of the test. `fileLimitKb` limits the size of its files. */
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
      ...settingsOf(controlPlane, agent, stateDir),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
  })
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the edge did not start in time:\n${output}`)), startLimitMs)
    child.once('exit', () => reject(new Error(`the edge exited before it listened:\n${output}`)))
    child.stderr?.on('data', (chunk) => {
      output += chunk
      const found = /"url":"(http:[^"]+)"/.exec(output)?.[1]
      if (!found) return
      clearTimeout(timer)
      resolve(found)
    })
  })
  const token = await localTokenIn(stateDir, agent)
  return { url, token, stateDir, child, output: () => output }
}

/** Asks an edge for a decision. */
export async function decideAt(
  { url, token }: Pick<ServedEdge, 'url' | 'token'>,
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
