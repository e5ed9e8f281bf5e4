import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillDataFolder, launchMandate, type RunningMandate } from './mandate-process.ts'
import { announceServer, settingsOfRun } from './server-of-run.ts'

let folder: string | undefined
let server: RunningMandate | undefined

/** Makes the data folder that `dataFolder` copies, a database with the schema and without data, and starts the server of the run on a copy. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'mandate-prepared-'))
  process.env.MANDATE_TEST_PREPARED = join(folder, 'data')
  const first = await launchMandate({ DATA_DIR: process.env.MANDATE_TEST_PREPARED })
  await first.stop()
  const [dataDir, logFile] = [join(folder, 'shared'), join(folder, 'shared.log')]
  await mkdir(dataDir)
  await fillDataFolder(dataDir)
  server = await launchMandate({ DATA_DIR: dataDir, ...settingsOfRun }, { logFile })
  announceServer({ url: server.url, dataDir, logFile })
}

export async function teardown(): Promise<void> {
  // After a SIGKILL, PostgreSQL would still write into the folder for a moment.
  await server?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
}
