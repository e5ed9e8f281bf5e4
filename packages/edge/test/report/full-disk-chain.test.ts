import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

/** Whether this account may mount a small file system in its own namespace. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
const program = join(import.meta.dirname, 'full-disk-chain-process.ts')

it.runIf(canMount)('the chain has no hole after writes that failed on a full disk and were undone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-full-chain-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const fill = `head -c 128k /dev/zero > "${folder}/fill"`
  const script = `mount -t tmpfs -o size=256k tmpfs "${folder}"; ${fill}; exec "${process.execPath}" "${program}" "${folder}"`
  const said = execFileSync('unshare', ['-rm', 'bash', '-c', script], { encoding: 'utf8' })
  expect(JSON.parse(said)).toEqual({ refused: true, isWhole: true, hasAll: true, goesOn: true })
})
