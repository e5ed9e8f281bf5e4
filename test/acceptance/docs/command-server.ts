import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { runCommand } from '@mandate/cli/start/run-command'
import { onTestFinished } from 'vitest'

/** Runs the commands that `bin/mandate` sends. Returns the path of its socket. It stops at the end of the test. */
export async function startCommandServer(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    run(request).then(
      (script) => response.end(script),
      (error) => response.end(`printf %s ${quoted(String(error.stack))} >&2; exit 70`),
    )
  })
  const socket = join(folder, '.commands')
  server.listen(socket)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return socket
}

async function run(request: IncomingMessage): Promise<string> {
  const body = Readable.toWeb(request) as ReadableStream
  const form = await new Response(body, {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).formData()
  const env = Object.fromEntries(form.getAll('env').map((pair) => String(pair).split(/=(.*)/s) as [string, string]))
  const printed: { to: 1 | 2; bytes: Buffer }[] = []
  const stream = (to: 1 | 2) =>
    new Writable({
      write(bytes: Buffer, _encoding, done) {
        const last = printed.at(-1)
        if (last?.to === to) last.bytes = Buffer.concat([last.bytes, bytes])
        else printed.push({ to, bytes })
        done()
      },
    })
  const invocation = {
    args: form.getAll('arg').map(String),
    env,
    cwd: String(form.get('cwd')),
    stdin: Readable.from([Buffer.from(String(form.get('input')))]).pipe(new PassThrough()),
    stdout: stream(1),
    stderr: stream(2),
    exitCode: 0,
  }
  await runCommand(invocation)
  return `${printed.map(({ to, bytes }) => `printf %s ${quoted(bytes.toString())} >&${to}\n`).join('')}exit ${invocation.exitCode}`
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
