import { beforeEach, describe, expect, it } from 'vitest'
import { limitsFromTenant, limitsToAddress, limitToUnproved, type MailKind } from '../mail/mail-limits.ts'
import { type Mail, mailContext } from '../mail/send-mail.ts'
import { auditEntries, createTenant, type TestTenant } from '../testing/arrange.ts'
import { mailsTo } from '../testing/mail-box.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { deliverMail } from './deliver-mail.ts'

const server = useOwnServer()
let sent: Mail[]
let refuse = false

beforeEach(async () => {
  sent = []
  refuse = false
  await server.owner.query('delete from mail_counts')
})

/** Delivers mails as the worker does, and collects the delivered mails. */
async function deliver(mail: Mail): Promise<void> {
  const { services } = server
  const log = Object.assign(Object.create(services.log), {
    info: () => {
      if (refuse) throw new Error('the mail server is away')
      sent.push(mail)
    },
    warn: () => {},
  })
  const sealed = services.vault.seal(JSON.stringify(mail), mailContext)
  await deliverMail({ ...services, log }, { sealed })
}

const mail = (tenant: TestTenant, to: string, kind?: MailKind): Mail => ({
  to,
  subject: 's',
  text: 't',
  tenantId: tenant.id,
  ...(kind && { kind }),
})

async function deliverMany(count: number, mailAt: (at: number) => Mail) {
  for (let at = 0; at < count; at += 1) await deliver(mailAt(at))
}

const withheldEntries = async (tenantId: string) =>
  (await auditEntries(server, tenantId)).filter(({ event_type }) => event_type === 'mail.withheld')

describe('mails to one address are limited', () => {
  it('40 invitations to one address send only the mails that an hour allows, and each request still gets 202', async () => {
    const tenant = await createTenant(server)
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        tenant.owner.api.post(`/tenants/${tenant.id}/invite`, { email: 'Target@example.net', role: 'member' }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(202))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    const waiting = await mailsTo(server, 'target@example.net')
    expect(waiting).toHaveLength(40)
    await Promise.all(waiting.map(deliver))
    expect(sent).toHaveLength(limitsToAddress.invitation.hour)
    const entries = await withheldEntries(tenant.id)
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({ actor_type: 'system', category: 'people' })
    expect(entries[0].details).toEqual({
      to: 'Target@example.net',
      kind: 'invitation',
      limit_of: 'address',
      period: 'hour',
      limit: limitsToAddress.invitation.hour,
    })
  })

  it('across tenants and spellings of the address', async () => {
    const tenants = await Promise.all([createTenant(server), createTenant(server), createTenant(server)])
    await deliverMany(12, (at) =>
      mail(tenants[at % 3] as TestTenant, at % 2 ? 'a@example.net' : ' A@Example.NET', 'invitation'),
    )
    expect(sent).toHaveLength(limitsToAddress.invitation.hour)
  })

  it('each kind separately: many invitations do not withhold notices of the account', async () => {
    const tenant = await createTenant(server)
    await deliverMany(20, () => mail(tenant, 'b@example.net', 'invitation'))
    sent = []
    await deliver(mail(tenant, 'b@example.net'))
    await deliver(mail(tenant, 'b@example.net', 'link'))
    expect(sent).toHaveLength(2)
  })

  it('per day too', async () => {
    const tenant = await createTenant(server)
    const { hour, day } = limitsToAddress.invitation
    for (let at = 0; at < 4; at += 1) {
      await deliverMany(hour + 1, () => mail(tenant, 'c@example.net', 'invitation'))
      await server.owner.query(
        `update mail_counts set starts_at = starts_at - interval '2 hours' where period = 'hour'`,
      )
      await server.owner.query(`delete from mail_counts where period = 'hour'`)
    }
    expect(sent).toHaveLength(day)
  })

  it('a mail that could not be sent is not counted and is sent on retry', async () => {
    const tenant = await createTenant(server)
    refuse = true
    for (let at = 0; at < 10; at += 1)
      await expect(deliver(mail(tenant, 'd@example.net', 'invitation'))).rejects.toThrow()
    refuse = false
    await deliver(mail(tenant, 'd@example.net', 'invitation'))
    expect(sent).toHaveLength(1)
  })

  it('mails without a tenant, or of a deleted one, are limited by their address and cause no error', async () => {
    const { day, hour } = limitsToAddress.link
    expect(day).toBeGreaterThan(hour)
    const gone = '01900000-0000-7000-8000-000000000000'
    await deliverMany(hour + 2, () => ({ to: 'e@example.net', subject: 's', text: 't', kind: 'link' }))
    await deliverMany(hour + 2, () => ({ to: 'f@example.net', subject: 's', text: 't', kind: 'link', tenantId: gone }))
    expect(sent).toHaveLength(2 * hour)
  })
})

describe('an unverified address', () => {
  it('gets few notices and approvals, counted together; verified addresses and verification links have no such limit', async () => {
    const tenant = await createTenant(server)
    const to = tenant.owner.email
    await server.owner.query('update users set email_verified = false where id = $1', [tenant.owner.id])
    await deliverMany(limitToUnproved.hour, () => mail(tenant, to, 'approval'))
    await deliverMany(limitToUnproved.hour, () => mail(tenant, to, 'notice'))
    expect(sent).toHaveLength(limitToUnproved.hour)
    await deliver(mail(tenant, to, 'proof'))
    await deliver(mail(tenant, to, 'link'))
    expect(sent).toHaveLength(limitToUnproved.hour + 2)
    await server.owner.query('update users set email_verified = true where id = $1', [tenant.owner.id])
    await deliver(mail(tenant, to, 'notice'))
    expect(sent).toHaveLength(limitToUnproved.hour + 3)
  })
})

describe('other people cannot withhold the mails that a person needs to keep their account', () => {
  it('a password reset works in every hour of a day, however often others asked for one', async () => {
    const tenant = await createTenant(server)
    for (let at = 0; at < 24; at += 1) {
      await deliverMany(limitsToAddress.link.hour + 1, () => mail(tenant, 'g@example.net', 'link'))
      await server.owner.query(`delete from mail_counts where period = 'hour'`)
    }
    expect(sent).toHaveLength(24 * limitsToAddress.link.hour)
  })

  it('mails to other people of a tenant do not use up the notices or links of a person', async () => {
    const tenant = await createTenant(server)
    for (const kind of ['notice', 'link', 'proof'] as const) {
      sent = []
      await deliverMany(120, (at) => mail(tenant, `crowd-${at}@example.net`, kind))
      expect(sent).toHaveLength(120)
      await deliver(mail(tenant, tenant.owner.email, kind))
      expect(sent).toHaveLength(121)
    }
  })
})

describe('mails from one tenant are limited', () => {
  const to = (at: number) => `person-${at}@example.net`

  it.each([
    ['a free tenant of today', 'free', '1 minute', limitsFromTenant.new],
    ['a free tenant of last week', 'free', '7 days', limitsFromTenant.free],
    ['a new tenant on a paid plan', 'pro', '1 minute', limitsFromTenant.paid],
  ])('%s', async (_which, plan, age, limits) => {
    const tenant = await createTenant(server, { plan })
    const text = 'update tenants set created_at = created_at - $2::interval where id = $1'
    await server.owner.query(text, [tenant.id, age])
    const { hour } = limits.invitation
    await deliverMany(hour + 5, (at) => mail(tenant, to(at), 'invitation'))
    expect(sent).toHaveLength(hour)
    expect((await withheldEntries(tenant.id)).map(({ details }) => details)).toEqual([
      { to: to(hour), kind: 'invitation', limit_of: 'tenant', period: 'hour', limit: hour },
    ])
    const other = await createTenant(server, { plan })
    await deliver(mail(other, to(1000), 'invitation'))
    expect(sent).toHaveLength(hour + 1)
  })

  it('a free tenant has lower limits on its first day, for every kind of mail with a limit per tenant', () => {
    for (const kind of ['invitation', 'approval'] as const) {
      for (const period of ['hour', 'day'] as const) {
        expect(limitsFromTenant.new[kind][period]).toBeLessThan(limitsFromTenant.free[kind][period])
        expect(limitsFromTenant.free[kind][period]).toBeLessThan(limitsFromTenant.paid[kind][period])
      }
    }
  })
})
