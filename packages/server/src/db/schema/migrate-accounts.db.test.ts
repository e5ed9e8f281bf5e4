import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

interface Person {
  name: string
  /** Null for an account at another identity provider. */
  verified: boolean | null
  linked?: boolean
  joinedBy?: string
}

const people: Person[] = [
  { name: 'registered', verified: false, joinedBy: 'registration' },
  { name: 'invited', verified: true, joinedBy: 'password' },
  { name: 'saml', verified: false, linked: true, joinedBy: 'saml' },
  { name: 'elsewhere-registered', verified: null, joinedBy: 'registration' },
  { name: 'elsewhere-invited', verified: null, joinedBy: 'password' },
]

async function addPerson(tenantId: string, { name, verified, linked, joinedBy }: Person): Promise<void> {
  const [id, accountId, email] = [newId(), randomUUID(), `${name}@example.com`]
  await owner.query(
    `insert into users (tenant_id, id, email, email_lower, role, status, account_id, created_at)
     values ($1, $2, $3, $3, 'member', 'active', $4, now())`,
    [tenantId, id, email, accountId],
  )
  if (verified !== null) {
    await owner.query(
      'insert into identity.accounts (id, email, email_lower, email_verified, created_at) values ($1, $2, $2, $3, now())',
      [accountId, email, verified],
    )
  }
  if (linked) {
    await owner.query(
      "insert into identity.federated_links (issuer, subject, account_id, created_at) values ('i', $1, $2, now())",
      [name, accountId],
    )
  }
  await owner.query(
    `insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email, resource_type,
       resource_id, resource_name, details, request_id, ip, user_agent, created_at)
     values ($1, $2, 'control_plane', 'user.joined', 'people', 'person', '', '', 'user', $3, '', jsonb_build_object('by', $4::text),
       '', '', '', now())`,
    [tenantId, newId(), id, joinedBy],
  )
}

it('older accounts count as verified if they were invited or are federated, and linked ones count as federated; sessions end 30 days after they started', async () => {
  await migrate(url, { upTo: '0012-acting-ahead.sql' })
  const tenantId = newId()
  await owner.query("insert into tenants (id, name, created_at) values ($1, 'old', now())", [tenantId])
  for (const person of people) await addPerson(tenantId, person)
  await owner.query("insert into sessions (id, account_id, created_at) values ($1, 'a', now() - interval '10 days')", [
    randomUUID(),
  ])

  expect(await migrate(url)).toEqual(
    expect.arrayContaining(['0015-sessions-and-devices.sql', '0016-proved-addresses.sql']),
  )
  const { rows } = await owner.query('select email from users where email_verified order by 1')
  expect(rows.map(({ email }) => email.split('@')[0])).toEqual(['elsewhere-invited', 'invited', 'saml'])
  const federated = await owner.query('select email from users where federated')
  expect(federated.rows).toEqual([{ email: 'saml@example.com' }])
  const sessions = await owner.query("select expires_at - created_at = interval '30 days' as thirty from sessions")
  expect(sessions.rows).toEqual([{ thirty: true }])
  const forced = await owner.query(
    "select bool_and(relforcerowsecurity) as forced from pg_class where relname in ('users', 'audit_entries')",
  )
  expect(forced.rows).toEqual([{ forced: true }])
})
