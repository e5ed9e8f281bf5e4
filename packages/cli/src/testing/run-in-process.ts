import { PassThrough, Writable } from 'node:stream'
import { runCommand } from '../start/run-command.ts'

export interface RunSettings {
  /** The environment variables of the program. It has no others. */
  env: Readonly<Record<string, string | undefined>>
  /** The folder in which the program runs. */
  cwd: string
  /** Text for standard input. */
  input?: string
}

export interface RunResult {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs `mandate …` in the process of the test, which is faster than a process of its own. Several runs at the same time do not mix. `up`, `demo`,
 * `backup`, `restore`, `operator`, `edge run` and an edge for an MCP server need a process of their own and fail here.
 */
export async function runInProcess(args: readonly string[], { env, cwd, input = '' }: RunSettings): Promise<RunResult> {
  const stdin = new PassThrough()
  stdin.end(input)
  const [stdout, stderr] = [capture(), capture()]
  const run = { args, env, cwd, stdin, stdout: stdout.stream, stderr: stderr.stream, exitCode: 0 }
  await runCommand(run)
  return { code: run.exitCode, stdout: stdout.text(), stderr: stderr.text() }
}

function capture() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}
