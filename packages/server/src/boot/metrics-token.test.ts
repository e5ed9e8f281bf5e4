import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadMetricsToken } from './metrics-token.ts'

async function folder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'mandate-metrics-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  return dataDir
}
const embedded = (dataDir: string) => ({ metricsToken: undefined, databaseUrl: undefined, dataDir })

test('the metrics token is created once in the data folder, readable only by its owner, and reused', async () => {
  const dataDir = await folder()
  const token = await loadMetricsToken(embedded(dataDir))
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  const file = join(dataDir, 'metrics-token')
  expect((await readFile(file, 'utf8')).trim()).toBe(token)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await loadMetricsToken(embedded(dataDir))).toBe(token)
})

test('a configured metrics token is used, and no file is written', async () => {
  const dataDir = await folder()
  expect(await loadMetricsToken({ ...embedded(dataDir), metricsToken: 'x'.repeat(20) })).toBe('x'.repeat(20))
  await expect(stat(join(dataDir, 'metrics-token'))).rejects.toThrow()
})

test('with DATABASE_URL there is no token unless it is configured', async () => {
  const dataDir = await folder()
  expect(await loadMetricsToken({ ...embedded(dataDir), databaseUrl: 'postgres://x' })).toBeUndefined()
})

test('a damaged file is refused and not replaced', async () => {
  const dataDir = await folder()
  await writeFile(join(dataDir, 'metrics-token'), ' \n')
  await expect(loadMetricsToken(embedded(dataDir))).rejects.toThrow(/contains no token/)
})
