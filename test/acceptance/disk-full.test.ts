import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { callApi, register } from './call-api.ts'
import { startMandate } from './mandate-process.ts'
import { fillDisk, mayMount, smallDisk } from './small-disk.ts'

const wait = { timeout: 60_000, interval: 200 }

test.skipIf(!mayMount)(
  'writes and readiness return 503 while the disk is full, and work again once there is room (needs root)',
  async () => {
    const disk = await smallDisk()
    const server = await startMandate({ DATA_DIR: join(disk, 'data'), MANDATE_SESSION_RATE: '1000000000' })
    const { credential } = await register(server)
    let agents = 0
    const { data: environments } = (await callApi(server, 'GET', '/environments', { credential })).body
    const write = () => {
      const body = { name: `agent ${agents++}`, environment_id: environments[0].id }
      return callApi(server, 'POST', '/agents', { body, credential })
    }
    expect((await write()).status).toBe(201)
    const makeRoom = await fillDisk(disk)
    const token = (await readFile(join(disk, 'data', 'metrics-token'), 'utf8')).trim()
    const metrics = async () =>
      await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
    const answers: { status: number; error: string }[] = []
    await vi.waitFor(async () => {
      const batch = await Promise.all(Array.from({ length: 20 }, write))
      for (const { status, body } of batch) answers.push({ status, error: status === 503 ? body.error : '' })
      expect(answers.map(({ error }) => error)).toContain('the database has no room left')
    }, wait)
    expect(answers.filter(({ status }) => status !== 201 && status !== 503)).toEqual([])
    const readiness = await fetch(`${server.url}/readyz`)
    expect(readiness.status).toBe(503)
    expect(await readiness.json()).toEqual({ error: 'the database has no room left' })
    const { bavail, bsize } = await statfs(disk)
    expect(bavail * bsize).toBeLessThan(20 * 1024 * 1024)
    expect(await metrics()).toMatch(/^mandate_data_free_bytes \d+$/m)
    await makeRoom()
    await vi.waitFor(async () => expect((await write()).status).toBe(201), wait)
    await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), wait)
    expect(await server.stop()).toMatchObject({ code: 0 })
  },
)
