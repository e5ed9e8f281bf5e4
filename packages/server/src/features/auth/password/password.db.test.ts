import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { createTenant } from '../../../testing/arrange.ts'
import { mailsTo, tokenMailedTo } from '../../../testing/mail-box.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { newAddress, password, registerPerson, signIn } from '../testing/people.ts'

const server = useTestServer()

const forgot = (email: string) => apiClient(server.url).post('/auth/password/forgot', { email })
const reset = (token: string, chosen: string) =>
  apiClient(server.url).post('/auth/password/reset', { token, password: chosen })
const chosen = 'a password of my choice'

describe('POST /auth/password/forgot', () => {
  it('202 with the same body in the same time, whether the address is known, pending or unknown', async () => {
    const person = await registerPerson(server)
    const tenant = await createTenant(server)
    const pending = newAddress()
    await tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email: pending, role: 'viewer' })
    const times: number[] = []
    const answers = []
    for (const email of [person.email, pending, newAddress()]) {
      const startedMs = performance.now()
      answers.push(await forgot(email))
      times.push(performance.now() - startedMs)
    }
    for (const { status, body } of answers) {
      expect(status).toBe(202)
      expect(body).toEqual(answers[0]?.body)
    }
    // The response must not come earlier than the time that storing a mail takes.
    for (const tookMs of times) expect(tookMs).toBeGreaterThan(245)
    const resets = (await mailsTo(server, person.email)).filter(({ link }) => link?.includes('reset-password'))
    expect(resets).toHaveLength(1)
    expect((await mailsTo(server, pending)).filter(({ link }) => link?.includes('reset-password'))).toEqual([])
  })

  it('mails a link under PUBLIC_URL to the stored address', async () => {
    const person = await registerPerson(server)
    await forgot(person.email.toUpperCase())
    const mail = (await mailsTo(server, person.email)).at(-1)
    expect(mail).toMatchObject({ to: person.email, tenantId: person.tenantId })
    expect(mail?.link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/reset-password\?token=[\w-]{43}$/)
    expect(mail?.text).toContain(mail?.link)
  })
})

describe('POST /auth/password/reset', () => {
  it('204: the new password works, the old one does not, and all sessions of the account end', async () => {
    const person = await registerPerson(server)
    await forgot(person.email)
    expect((await reset(await tokenMailedTo(server, person.email), chosen)).status).toBe(204)
    const { refresh_token } = person.session
    expect((await apiClient(server.url).post('/auth/refresh', { refresh_token })).status).toBe(401)
    expect((await signIn(server, person.email, password)).status).toBe(401)
    expect((await signIn(server, person.email, chosen)).status).toBe(200)
  })

  it('410 for all but one concurrent use of a link, for a used link and for an unknown link', async () => {
    const person = await registerPerson(server)
    await forgot(person.email)
    const token = await tokenMailedTo(server, person.email)
    const answers = await Promise.all([1, 2, 3].map((n) => reset(token, `${chosen} ${n}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 410, 410])
    for (const spent of [token, 'nonsense']) expect((await reset(spent, chosen)).status).toBe(410)
  })

  it('410 for a link after one hour, and for a link that a later one replaced', async () => {
    const person = await registerPerson(server)
    await forgot(person.email)
    const first = await tokenMailedTo(server, person.email)
    await forgot(person.email)
    const second = await tokenMailedTo(server, person.email)
    expect((await reset(first, chosen)).status).toBe(410)
    const { rows } = await server.owner.query(
      `update password_resets set expires_at = expires_at - interval '60 minutes' where account_id = $1
       returning expires_at <= now() as over`,
      [person.accountId],
    )
    expect(rows).toEqual([{ over: true }])
    expect((await reset(second, chosen)).status).toBe(410)
    expect((await signIn(server, person.email)).status).toBe(200)
  })

  it('410 if the account was deleted', async () => {
    const person = await registerPerson(server)
    await forgot(person.email)
    const token = await tokenMailedTo(server, person.email)
    await server.owner.query('delete from identity.accounts where id = $1', [person.accountId])
    expect((await reset(token, chosen)).status).toBe(410)
  })

  it('400 for a weak password; the link stays usable', async () => {
    const person = await registerPerson(server)
    await forgot(person.email)
    const token = await tokenMailedTo(server, person.email)
    expect((await reset(token, 'short')).status).toBe(400)
    expect((await reset(token, person.email)).status).toBe(400)
    expect((await reset(token, chosen)).status).toBe(204)
  })
})
