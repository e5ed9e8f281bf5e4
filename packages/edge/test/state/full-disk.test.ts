import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

/** Whether this account may mount a small file system in its own namespace. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
const program = join(import.meta.dirname, 'full-disk-process.ts')

// Without free space the lock fails first. With one page, a file that is written later fails.
it.runIf(canMount).each([0, 4])('reports a full disk when an edge starts with %i KiB left', async (left) => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-full-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const fill = `head -c ${64 - left}k /dev/zero > "${folder}/fill"`
  const script = `mount -t tmpfs -o size=64k tmpfs "${folder}"; ${fill}; exec "${process.execPath}" "${program}" "${folder}/state"`
  const said = execFileSync('unshare', ['-rm', 'bash', '-c', script], { encoding: 'utf8' })
  expect(said).toBe(`the disk that holds the state folder ${folder}/state is full; make room and start the edge again`)
})
