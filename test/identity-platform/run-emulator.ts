import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const here = import.meta.dirname
const firebase = join(here, 'node_modules/firebase-tools/lib/bin/firebase.js')
const vitest = join(here, '../../node_modules/vitest/vitest.mjs')

/** Finds different free ports. Another process may take one before it is used. */
async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports: number[] = []
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address && typeof address === 'object') ports.push(address.port)
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve))
  return ports
}

/** Starts the emulator in `folder`, runs the tests against it, and stops it. Resolves to the tests' exit code. */
async function runBesideEmulator(folder: string): Promise<number> {
  const [auth, hub, logging] = await findFreePorts(3)
  const emulators = {
    auth: { host: '127.0.0.1', port: auth },
    hub: { host: '127.0.0.1', port: hub },
    logging: { host: '127.0.0.1', port: logging },
    ui: { enabled: false },
  }
  await writeFile(join(folder, 'firebase.json'), JSON.stringify({ emulators }))
  const tests = [process.execPath, vitest, 'run', '--root', here].map((part) => JSON.stringify(part)).join(' ')
  // With a project name demo-…, the emulator never contacts a real project.
  const child = spawn(process.execPath, [firebase, 'emulators:exec', '--only=auth', '--project=demo-mandate', tests], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, XDG_CONFIG_HOME: folder, NO_UPDATE_NOTIFIER: '1', CI: '1' },
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

const folder = await mkdtemp(join(tmpdir(), 'mandate-emulator-'))
try {
  process.exitCode = await runBesideEmulator(folder)
} finally {
  await rm(folder, { recursive: true, force: true })
}
