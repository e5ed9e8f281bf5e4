import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { callApi, password, register, tokenMailedTo } from '../call-api.ts'
import { sharedMandate } from '../mandate-process.ts'
import { commandLineUser, signedInUser } from './command-line-user.ts'

const mandate = sharedMandate()

async function setUp() {
  const { email, credential } = await register(mandate(), `owner-${randomUUID()}@example.com`)
  return { email, credential, user: await signedInUser(mandate(), email) }
}

type User = Awaited<ReturnType<typeof setUp>>['user']

/** Invites a person on the command line and accepts the invitation. Returns the address. */
async function joined(user: User, role: string): Promise<string> {
  const email = `${role}-${randomUUID()}@example.com`
  expect(await user.run(['users', 'invite', email, '--role', role])).toMatchObject({ code: 0, stdout: '' })
  const token = await tokenMailedTo(mandate(), email)
  const accepted = await callApi(mandate(), 'POST', '/auth/invitations/accept', { body: { token, password } })
  expect(accepted.status).toBe(200)
  return email
}

test('invites, lists, updates and removes a person by address, and withdraws an invitation', async () => {
  const { user } = await setUp()
  const mel = await joined(user, 'member')
  const waiting = `waiting-${randomUUID()}@example.com`
  await user.run(['users', 'invite', waiting, '--role', 'viewer'])
  expect(await user.json(['users', 'list', '--status', 'pending'])).toMatchObject([{ email: waiting }])
  expect((await user.run(['users', 'list', '--role', 'member'])).stdout).toMatch(
    new RegExp(`\\n${mel} +- +member +active`),
  )
  const changed = await user.run(['users', 'update', mel.toUpperCase(), '--role', 'manager', '--name', 'Mel'])
  expect(changed).toMatchObject({ code: 0, stderr: `${mel} is Mel, manager.\n` })
  expect(await user.json(['users', 'show', 'Mel'])).toMatchObject([{ email: mel, role: 'manager' }])
  expect(await user.run(['users', 'update', mel])).toMatchObject({ code: 2 })
  await user.run(['users', 'update', mel, '--read-only'])
  expect(await user.json(['users', 'show', mel])).toMatchObject([{ role: 'manager', read_only: true }])
  expect((await user.run(['users', 'list'])).stdout).toContain('manager (read-only)')
  const removed = await user.run(['users', 'update', mel, '--no-read-only'])
  expect(removed).toMatchObject({ code: 0, stderr: expect.stringMatching(/, manager\.\n$/) })
  await user.run(['users', 'invite', waiting, '--role', 'manager', '--read-only'])
  await user.run(['users', 'invite', waiting, '--role', 'viewer'])
  expect(await user.json(['users', 'show', waiting])).toMatchObject([{ role: 'viewer', read_only: true }])
  expect(await user.run(['users', 'invite', mel])).toMatchObject({ code: 2, stderr: expect.stringContaining('--role') })
  expect(await user.run(['users', 'show', ''])).toMatchObject({ code: 1 })
  expect(await user.run(['users', 'reset-mfa', mel])).toMatchObject({ code: 0 })

  expect((await user.run(['users', 'removal-preview', mel])).stdout).toMatch(/^API keys +0$/m)
  expect(await user.run(['users', 'remove', mel])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  for (const address of [mel, waiting])
    expect(await user.run(['users', 'remove', address, '--yes'])).toMatchObject({ code: 0 })
  expect(await user.json(['users', 'list'])).toHaveLength(1)
  expect(await user.json(['audit', 'list', '--actor', mel, '--event-type', 'user.joined'])).toMatchObject([
    { actor: { email: mel }, details: { role: 'member', read_only: false } },
  ])
  const nobody = await user.run(['audit', 'list', '--actor', 'nobody@example.com'])
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') })
})

test('registers an agent for which another person answers', async () => {
  const { user } = await setUp()
  const mel = await joined(user, 'member')
  const create = (owner: string) => ['agents', 'create', 'Owned', '--environment', 'development', '--owner', owner]
  const [{ agent }] = await user.json(create(mel))
  expect(await user.json(['users', 'show', mel])).toMatchObject([{ id: agent.owner_user_id }])
  expect(await user.run(create('nobody@example.com'))).toMatchObject({
    code: 1,
    stderr: 'mandate: user nobody@example.com does not exist, or you cannot see it\n',
  })
})

test('says that the export of a viewer cannot be verified, and why', async () => {
  const { user } = await setUp()
  const viewer = await signedInUser(mandate(), await joined(user, 'viewer'))
  const without = 'The export has no seals, so it cannot be verified: only managers and owners get seals.\n'
  const exported = await viewer.run(['audit', 'export', '--file', 'trail.ndjson'])
  expect(exported).toMatchObject({ code: 0, stderr: `trail.ndjson is written. ${without}` })
  expect(await user.run(['audit', 'export'])).toMatchObject({ code: 0, stderr: '' })
  expect(await viewer.run(['audit', 'export'])).toMatchObject({ code: 0, stderr: without })
})

test('rejects a name that two users have, and lists both addresses', async () => {
  const { user } = await setUp()
  const addresses = [await joined(user, 'viewer'), await joined(user, 'member')]
  for (const address of addresses) await user.run(['users', 'update', address, '--name', 'Sam'])
  const refused = await user.run(['users', 'show', 'Sam'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('2 users have the name Sam') })
  for (const address of addresses) expect(refused.stderr).toContain(address)
})

test('grants and revokes a scoped user’s access to agents and environments', async () => {
  const { user } = await setUp()
  const mel = await joined(user, 'member')
  await user.run(['agents', 'create', 'Reader', '--environment', 'production'])
  await user.run(['agents', 'create', 'Writer', '--environment', 'development'])
  const person = await signedInUser(mandate(), mel)
  const seen = async () => (await person.json(['agents', 'list'])).map(({ name }) => name).sort()
  expect(await user.run(['users', 'set-access-scope', mel, 'scoped'])).toMatchObject({ code: 0 })
  expect(await seen()).toEqual([])
  expect(await user.run(['users', 'grant', mel, 'Reader'])).toMatchObject({ code: 0 })
  expect((await user.run(['users', 'grants', mel])).stdout).toMatch(/\nReader +/)
  expect(await user.run(['users', 'add-environment', mel, 'development'])).toMatchObject({ code: 0 })
  expect(await user.json(['users', 'environments', mel])).toMatchObject([{ environment_slug: 'development' }])
  expect(await seen()).toEqual(['Reader'])
  expect((await person.json(['environments', 'list'])).map(({ slug }) => slug)).toEqual(['development'])
  expect(await user.run(['users', 'revoke-grant', mel, 'Reader'])).toMatchObject({ code: 0 })
  expect(await user.run(['users', 'revoke-grant', mel, 'Reader'])).toMatchObject({ code: 1 })
  expect(await user.run(['users', 'remove-environment', mel, 'Development'])).toMatchObject({ code: 0 })
  expect(await seen()).toEqual([])
  expect(await person.json(['environments', 'list'])).toEqual([])
})

test('invites a learner and gives the learner a seat', async () => {
  const { user } = await setUp()
  const learner = `learner-${randomUUID()}@example.com`
  expect(await user.run(['users', 'invite-learner', learner])).toMatchObject({ code: 0 })
  const [listed] = await user.json(['users', 'list', '--search', learner])
  expect(listed).toMatchObject({ academy_only: true })
  expect((await user.run(['users', 'show', learner])).stdout).toMatch(/^Role +learner$/m)
  const token = await tokenMailedTo(mandate(), learner)
  await callApi(mandate(), 'POST', '/auth/invitations/accept', { body: { token, password } })
  expect(await user.run(['users', 'give-seat', learner, '--role', 'viewer'])).toMatchObject({ code: 0 })
  expect(await user.json(['users', 'show', learner])).toMatchObject([{ academy_only: false, role: 'viewer' }])
})

test('renames the organization and sets its governance gate', async () => {
  const { user } = await setUp()
  expect(await user.run(['organization', 'rename', 'Acme Labs'])).toMatchObject({ code: 0 })
  expect((await user.run(['organization', 'show'])).stdout).toMatch(/^Name +Acme Labs$/m)
  expect(await user.run(['gate', 'set', 'enforce'])).toMatchObject({ code: 0 })
  expect(await user.json(['gate', 'show'])).toEqual([{ gate: 'enforce' }])
  expect(await user.run(['gate', 'set', 'open'])).toMatchObject({ code: 2 })
})

test('revoke-sessions signs a person out by address, and leaves their API keys', async () => {
  const { user } = await setUp()
  const mel = await joined(user, 'member')
  const person = await signedInUser(mandate(), mel)
  const [key] = await person.json(['keys', 'create', 'ci'])
  const ended = await user.run(['users', 'revoke-sessions', mel])
  expect(ended).toMatchObject({ code: 0, stdout: '', stderr: `The sessions of ${mel} have ended.\n` })
  const refused = await person.run(['sessions', 'list'])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('has ended') })
  expect((await callApi(mandate(), 'GET', '/tenants', { credential: key.raw_key })).status).toBe(200)
  expect(await user.json(['audit', 'list', '--limit', '1'])).toMatchObject([
    { event_type: 'session.revoked', resource: { name: mel }, details: { email: mel, sessions: 2 } },
  ])
})

test('invitations preview shows what the link or its token offers, without a session', async () => {
  const { user } = await setUp()
  const email = `waiting-${randomUUID()}@example.com`
  await user.run(['users', 'invite', email, '--role', 'viewer'])
  const token = await tokenMailedTo(mandate(), email)
  const guest = await commandLineUser()
  const link = `${mandate().url}/join?token=${token}`
  const shown = await guest.run(['invitations', 'preview', link])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^Organization +Acme\nRole +viewer\nInvited by +-\nAddress +waiting-/)
  const settings = { MANDATE_URL: mandate().url }
  const byToken = await guest.run(['invitations', 'preview', token, '--json'], { settings })
  expect(JSON.parse(byToken.stdout)).toMatchObject({ organization: 'Acme', role: 'viewer', invited_by: null, email })
  expect(await guest.run(['invitations', 'preview', token])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('MANDATE_URL'),
  })
  expect((await callApi(mandate(), 'POST', '/auth/invitations/accept', { body: { token, password } })).status).toBe(200)
  const used = await guest.run(['invitations', 'preview', link])
  expect(used).toMatchObject({ code: 1, stderr: expect.stringContaining('has been used or has expired') })
})

test('register makes the first person, and join or invitations accept the next ones, without JSON', async () => {
  const url = mandate().url
  const owner = await commandLineUser()
  const email = `first-${randomUUID()}@example.com`
  const args = ['register', '--url', url, '--email', email, '--organization', 'Acme', '--password-stdin']
  expect(await owner.run(args, { input: 'short\n' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('password'),
  })
  expect(await owner.run(args, { input: `${password}\n` })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`Acme is registered. Signed in as ${email} (owner)`),
  })
  for (const [words, more, role] of [
    [['join'], ['--read-only'], 'member (read-only)'],
    [['invitations', 'accept'], [], 'member'],
  ] as const) {
    const invited = `next-${randomUUID()}@example.com`
    await owner.run(['users', 'invite', invited, '--role', 'member', ...more])
    const link = `${url}/join?token=${await tokenMailedTo(mandate(), invited)}`
    const next = await commandLineUser()
    expect(
      await next.run([...words, link, '--password-stdin', '--name', 'Next'], { input: `${password}\n` }),
    ).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Acme invites ${invited} as ${role}\nSigned in as ${invited} (${role})\n`,
    })
    expect((await next.run(['whoami'])).stdout).toContain(`${invited} (${role}, access all)`)
    expect(await next.json(['whoami'])).toMatchObject([{ url, user: { email: invited, display_name: 'Next' } }])
    expect(await next.run([...words, link, '--password-stdin'], { input: `${password}\n` })).toMatchObject({ code: 1 })
  }
})
