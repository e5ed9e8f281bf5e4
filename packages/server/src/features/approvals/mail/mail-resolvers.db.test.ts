import { beforeEach, describe, expect, it } from 'vitest'
import { addPerson, grantAgent, type TestPerson } from '../../../testing/arrange.ts'
import { mailsTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { readableDeadline } from '../../../text/readable-time.ts'
import { addPendingCall, createScene, newRequest, type Scene } from '../testing/held-calls.ts'

const server = useTestServer()
let scene: Scene
let manager: TestPerson

beforeEach(async () => {
  scene = await createScene(server)
  manager = await addPerson(server, scene.tenant.id, { role: 'manager' })
})

describe('the mail about a pending call', () => {
  const mailed = async (people: TestPerson[]) =>
    (await Promise.all(people.map(({ email }) => mailsTo(server, email)))).map((mails) => mails.length)

  it('goes to the users who may resolve, each with a personal link, and without the arguments', async () => {
    const { tenant, edge, agentId } = scene
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const grantee = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    await grantAgent(server, tenant.id, grantee.id, agentId)
    const others = [
      scoped,
      await addPerson(server, tenant.id, { role: 'member' }),
      await addPerson(server, tenant.id, { role: 'manager', status: 'pending' }),
      await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true }),
    ]
    const held = await addPendingCall({ edge, agentId }, { arguments: { path: 'the-argument' } })
    expect(await mailed([tenant.owner, manager, grantee])).toEqual([1, 1, 1])
    expect(await mailed(others)).toEqual([0, 0, 0, 0])
    const mails = (
      await Promise.all([tenant.owner, manager, grantee].map(({ email }) => mailsTo(server, email)))
    ).flat()
    expect(new Set(mails.map(({ link }) => link)).size).toBe(3)
    for (const mail of mails) {
      expect(mail.link).toMatch(new RegExp(`^${server.services.config.publicUrl}/approve\\?token=[\\w-]{43}$`))
      expect(mail.subject).toContain(held.tool)
      expect(mail.text).toContain(`before ${readableDeadline(held.expires_at, held.requested_at)}:`)
      expect(JSON.stringify(mail)).not.toContain('the-argument')
    }
  })

  it('goes to owners only, for an agent in production', async () => {
    await server.owner.query('update environments set is_production = true where id = $1', [scene.tenant.development])
    await addPendingCall(scene)
    expect(await mailed([scene.tenant.owner, manager])).toEqual([1, 0])
  })

  it('does not go to the agent’s owner, unless no other user may resolve', async () => {
    const { tenant, agentId } = scene
    await server.owner.query('update agents set owner_user_id = $2 where id = $1', [agentId, tenant.owner.id])
    await addPendingCall(scene)
    expect(await mailed([tenant.owner, manager])).toEqual([0, 1])
    await server.owner.query(`update users set role = 'member' where id = $1`, [manager.id])
    await addPendingCall(scene)
    expect(await mailed([tenant.owner, manager])).toEqual([1, 1])
  })

  it('goes to at most 20 people, the most recently active first', async () => {
    const crowd: TestPerson[] = []
    for (let n = 0; n < 22; n++) crowd.push(await addPerson(server, scene.tenant.id, { role: 'manager' }))
    const active = crowd.slice(2).map(({ id }) => id)
    await server.owner.query('update users set last_active_at = now() where id = any($1)', [active])
    await addPendingCall(scene)
    expect(await mailed([scene.tenant.owner, manager, ...crowd])).toEqual([0, 0, 0, 0, ...Array(20).fill(1)])
  })

  it('is not sent while the agent has ten pending approvals', async () => {
    for (let n = 0; n < 11; n++) await addPendingCall(scene)
    expect(await mailed([manager])).toEqual([10])
  })

  it('is sent once for a request that is sent twice', async () => {
    const request = newRequest(scene.agentId)
    for (const status of [201, 200]) expect((await scene.edge.post('/edge/approvals', request)).status).toBe(status)
    expect(await mailed([manager])).toEqual([1])
  })
})
