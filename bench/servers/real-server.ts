import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Embedded, startEmbedded } from '../../packages/embedded-postgres/src/start-embedded.ts'
import { migrate } from '../../packages/server/src/db/schema/migrate.ts'
import { newSigningKeyPem } from '../../packages/server/src/security/signing-key.ts'

/** An embedded, migrated PostgreSQL with the durability settings of production. */
export interface BenchDatabase {
  dataDir: string
  embedded: Embedded
  /** Stops PostgreSQL, and removes its folder unless it is kept. */
  stop(): Promise<void>
}

/** @param keptIn folder that stays after the run; without it, a temporary folder is used */
export async function startDatabase(
  settings: Record<string, string> = {},
  migrateWith: typeof migrate = migrate,
  keptIn?: string,
): Promise<BenchDatabase> {
  const dataDir = keptIn ?? (await mkdtemp(join(tmpdir(), 'mandate-bench-')))
  const embedded = await startEmbedded({ dataDir, settings: { shared_buffers: '1GB', ...settings } })
  await migrateWith(embedded.ownerUrl)
  return {
    dataDir,
    embedded,
    async stop() {
      await embedded.stop()
      if (keptIn === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts a source tree's server with `mandate up` on a given database, without a rate limit. */
export function startMandate(
  { dataDir, embedded }: BenchDatabase,
  port: number,
  tree = join(import.meta.dirname, '../..'),
): ChildProcess {
  const main = join(tree, 'packages/cli/src/main.ts')
  const env = {
    ...process.env,
    DATABASE_URL: embedded.ownerUrl,
    DATA_DIR: join(dataDir, 'files'),
    PORT: String(port),
    LOG_LEVEL: 'info',
    MANDATE_API_RATE: '1000000000',
    MANDATE_EDGE_RATE: '1000000000',
    MANDATE_UNAUTHENTICATED_PER_CLIENT: '1000000',
    ...secretsIn(dataDir),
  }
  return spawn(process.execPath, [main, 'up'], { stdio: ['ignore', 'ignore', 'inherit'], env })
}

/** The secrets of the server. A database that is kept needs the same ones in each run. */
function secretsIn(dataDir: string): Record<string, string> {
  const file = join(dataDir, 'secrets.json')
  if (!existsSync(file)) {
    const secrets = {
      MANDATE_TOKEN_SECRET: randomBytes(32).toString('hex'),
      MANDATE_VAULT_KEY: randomBytes(32).toString('hex'),
      MANDATE_SIGNING_KEY: newSigningKeyPem(),
    }
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 })
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

export async function untilUp(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (
      await fetch(url).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not become ready in time`)
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}
