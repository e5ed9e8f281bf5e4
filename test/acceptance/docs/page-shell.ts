import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { startCommandServer } from './command-server.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ownCommands = fileURLToPath(new URL('bin', import.meta.url))
const readyLimitMs = 120_000
/** If set, every command is a process, as for a reader of the pages. It takes several times as long. */
const areProcesses = process.env.MANDATE_TEST_PROCESSES === '1'

export interface Printed {
  code: number
  /** Standard output and standard error, in the order in which they came. */
  output: string
}

/** One shell that runs the commands of a page, in a folder of its own, so that variables and functions of earlier blocks stay. */
export interface PageShell {
  folder: string
  /** Where `mayFail`, commands go on after one that fails, and the last one's code is answered. Otherwise a failure ends the shell. */
  run(commands: string, mayFail?: boolean): Promise<Printed>
  /** Runs commands in the background until the test ends; resolves once they have printed a text. */
  keepRunning(commands: string, readyText: string): Promise<void>
}

/** The domain of the people in the pages. A shell replaces it by `domain`, because a person has one organization on a server. */
const shownDomain = 'acme.example'

/**
 * Starts the shell. The addresses that pages use, those of a server and an edge on this machine and `https://mandate.example.com`, are
 * replaced by the real ones. `data` in its folder is the data folder of the server.
 */
export async function startPageShell(
  server: { url: string; dataDir: string },
  folder: string,
  domain = shownDomain,
): Promise<PageShell> {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  if (server.dataDir !== join(folder, 'data')) await symlink(server.dataDir, join(folder, 'data'))
  const programs = join(root, 'node_modules/.bin')
  const inTest = areProcesses
    ? {}
    : { COMMAND_OF_TEST: join(programs, 'mandate'), SOCKET_OF_TEST: await startCommandServer(folder) }
  const [edgePort, mcpPort] = await Promise.all([freePort(), freePort()])
  const addresses = {
    'http://127.0.0.1:8080': server.url,
    'https://mandate.example.com': server.url,
    'http://127.0.0.1:8089': `http://127.0.0.1:${edgePort}`,
    'http://127.0.0.1:8090': `http://127.0.0.1:${mcpPort}`,
    [shownDomain]: domain,
  }
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    // A group of its own, so that everything that it started ends with the test.
    detached: true,
    env: {
      PATH: [...(areProcesses ? [] : [ownCommands]), programs, process.env.PATH].join(':'),
      ...inTest,
      HOME: folder,
      NO_COLOR: '1',
      npm_config_update_notifier: 'false',
      MANDATE_EDGE_PORT: String(edgePort),
      MANDATE_EDGE_MCP_PORT: String(mcpPort),
      // The heartbeats of the server of the run are every second: on a busy machine, an edge would miss the usual five.
      MANDATE_EDGE_MISSED_BEATS: '60',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => endGroup(shell))
  let blocks = 0
  const real = (text: string) =>
    Object.entries(addresses).reduce((replaced, [shown, used]) => replaced.replaceAll(shown, used), text)
  const write = async (block: string) => {
    const file = join(folder, `.block-${++blocks}`)
    await writeFile(file, `${real(block)}\n`)
    return file
  }
  return {
    folder,
    async run(commands, mayFail = false) {
      const file = await write(commands)
      const options = `set ${mayFail ? '+' : '-'}e -o pipefail`
      const code = await answerOf(shell, `${options}; . ${file} >${file}.out 2>&1 </dev/null; echo "$?"`)
      const output = await readFile(`${file}.out`, 'utf8')
      return { code, output: output.replaceAll(domain, shownDomain) }
    },
    async keepRunning(commands, readyText) {
      const file = await write(commands)
      await answerOf(shell, `(. ${file}) >${file}.out 2>&1 </dev/null & echo 0`)
      for (const deadline = Date.now() + readyLimitMs; Date.now() < deadline; await pause(50)) {
        if ((await readFile(`${file}.out`, 'utf8').catch(() => '')).includes(readyText)) return
      }
      throw new Error(`“${readyText}” was not printed:\n${await readFile(`${file}.out`, 'utf8')}`)
    },
  }
}

/** What the shell prints after a line of input: the code of its commands, or its own where a command ended it. */
function answerOf(shell: ChildProcess, line: string): Promise<number> {
  return new Promise((resolve) => {
    if (shell.exitCode !== null) return resolve(shell.exitCode)
    const onEnd = (code: number | null) => resolve(code ?? -1)
    shell.once('exit', onEnd)
    shell.stdout?.once('data', (text) => {
      shell.off('exit', onEnd)
      resolve(Number(text))
    })
    shell.stdin?.write(`${line}\n`)
  })
}

async function endGroup(shell: ChildProcess): Promise<void> {
  try {
    process.kill(-(shell.pid as number), 'SIGKILL')
  } catch {
    // Everything has ended by itself.
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
