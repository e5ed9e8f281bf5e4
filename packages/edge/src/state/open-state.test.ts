import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openState } from './open-state.ts'

it('ignores files of other programs between the seats', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-state-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'seats/2'), { recursive: true })
  await writeFile(join(folder, 'seats/.DS_Store'), '')
  const state = await openState(folder)
  const abandoned = await state.abandoned(expect.unreachable)
  expect(abandoned.map(({ spool }) => spool)).toEqual([join(folder, 'seats/2/spool')])
  for (const { release } of abandoned) release()
  state.release()
})

it('finds the seats beside those whose locks cannot be used, and names these', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-state-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const path of ['2', '3/lock', '4', '5']) await mkdir(join(folder, 'seats', path), { recursive: true })
  await writeFile(join(folder, 'seats/4/lock'), 'no database')
  const state = await openState(folder)
  for (const _ of [1, 2]) {
    const unusable: string[] = []
    const abandoned = await state.abandoned((seat, { message }) => unusable.push(`${seat}: ${message}`))
    expect(abandoned.map(({ seat }) => seat)).toEqual([join(folder, 'seats/2'), join(folder, 'seats/5')])
    expect(unusable).toEqual([
      expect.stringContaining('seats/3/lock cannot be opened, because it is a folder; delete it'),
      expect.stringContaining('seats/4/lock is damaged; delete it'),
    ])
    for (const { release } of abandoned) release()
  }
  state.release()
})

it('takes the first seat whose lock can be used', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-state-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'seats/1'), { recursive: true })
  await writeFile(join(folder, 'seats/1/lock'), 'no database')
  const state = await openState(folder)
  expect(state.seat).toBe(join(folder, 'seats/2'))
  state.release()
})

it('names a state folder that is a file, and the setting', async () => {
  const message = `the state folder ${import.meta.filename} cannot be used: a file or a broken link has this name; set MANDATE_EDGE_STATE`
  await expect(openState(import.meta.filename)).rejects.toThrow(message)
})

it.skipIf(process.platform !== 'linux')('rejects a folder in a file system that takes no folders', async () => {
  await expect(openState('/proc/mandate/edge')).rejects.toMatchObject({ code: 'ENOENT' })
})
