import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { addKey, addPerson, auditEntries, createTenant, type TestTenant } from '../testing/arrange.ts'
import { useTestServer } from '../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const countOf = async (name: string) =>
  (await server.owner.query('select from environments where tenant_id = $1 and name = $2', [tenant.id, name])).rowCount

/** Sends the head of a request, and its body when `finish` is called. */
function slowPost(path: string, credential: string, body: string) {
  const sent = request(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  })
  const answered = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) })
    })
  })
  sent.flushHeaders()
  return {
    async finish() {
      sent.end(body)
      return await answered
    },
  }
}

const late = JSON.stringify({ name: 'Late', slug: 'late' })
const invalidKey = { status: 401, body: { error: 'invalid API key', code: 401 } }

describe('a running request whose key stops working', () => {
  it('401 when the key is revoked before the body has arrived; nothing is written', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    const slow = slowPost('/environments', key.raw, late)
    await sleep(100)
    expect((await tenant.owner.api.delete(`/api-keys/${key.id}`)).status).toBe(200)
    expect(await slow.finish()).toEqual(invalidKey)
    expect(await countOf('Late')).toBe(0)
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })

  it('401 when the key is revoked while the change waits for a lock; the revocation does not wait', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    const locker = await server.owner.connect()
    try {
      await locker.query('begin')
      await locker.query('select id from environments where id = $1 for update', [tenant.development])
      const waiting = key.api.put(`/environments/${tenant.development}`, { name: 'Late' })
      await sleep(200)
      expect((await tenant.owner.api.delete(`/api-keys/${key.id}`)).status).toBe(200)
      await locker.query('commit')
      expect(await waiting).toMatchObject(invalidKey)
      expect(await countOf('Late')).toBe(0)
    } finally {
      locker.release()
    }
  })

  it('401 when the creator is removed before the body has arrived', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const key = await addKey(server, tenant.id, manager)
    const slow = slowPost('/environments', key.raw, late)
    await sleep(100)
    await server.owner.query('delete from users where tenant_id = $1 and id = $2', [tenant.id, manager.id])
    expect(await slow.finish()).toEqual(invalidKey)
    expect(await countOf('Late')).toBe(0)
  })

  it('rejects every write that is sent after the response to the revocation', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    let revoked = false
    const writes = Array.from({ length: 40 }, async (_, at) => {
      await sleep(at * 2)
      const after = revoked
      const { status } = await key.api.post('/environments', { name: 'Race', slug: `race-${at}` })
      return { after, status }
    })
    await sleep(30)
    const { status } = await tenant.owner.api.delete(`/api-keys/${key.id}`)
    const written = await countOf('Race')
    revoked = true
    expect(status).toBe(200)
    const answers = await Promise.all(writes)
    expect(answers.filter(({ after }) => after).every((answer) => answer.status === 401)).toBe(true)
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(Number(written))
    expect(await countOf('Race')).toBe(written)
  })
})
