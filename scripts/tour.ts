import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

// Walks a running server from the first registration to a verified audit trail, printing each step.
// Usage: npm run tour -- [url]. DATA_DIR must be the server's, because the tour reads the invitation from its mail folder. Without a URL, the tour
// reads the address that the server wrote into this folder.

const dataDir = process.env.DATA_DIR?.trim() || './data'
const given = process.argv[2] ?? process.env.PUBLIC_URL ?? (await addressIn(dataDir)) ?? 'http://127.0.0.1:8080'
const base = `${given.replace(/\/+$/, '')}/api/v1`
const mailFolder = join(dataDir, 'mail')
const mark = randomBytes(3).toString('hex')
const password = randomBytes(12).toString('base64url')
const [ownerEmail, memberEmail] = [`owner-${mark}@example.com`, `member-${mark}@example.com`]
let steps = 0

try {
  await walk()
  process.stdout.write(`\nDone: ${steps} steps, all with the expected result.\n`)
} catch (error) {
  process.stderr.write(`\nThe tour failed: ${explain(error)}\n`)
  process.exitCode = 1
}

async function walk(): Promise<void> {
  await expectDataOf(dataDir)
  const organization = `Tour ${mark}`
  const registered = await step('Register an organization', 201, 'POST', '/auth/register', {
    body: { email: ownerEmail, password, display_name: 'Olivia Owner', organization },
  })
  const owner = registered.session.access_token
  const tenantId = registered.tenant.id
  await step('Who am I?', 200, 'GET', '/auth/session', { credential: owner })

  const invited = await step('Invite a member', 202, 'POST', `/tenants/${tenantId}/invite`, {
    credential: owner,
    body: { email: memberEmail, role: 'member' },
  })
  if (invited.mail_delivery !== 'folder')
    throw new Error('the server sends its mails, and the tour reads them as files: start the server without SMTP_URL')
  const accepted = await step('The member accepts the mailed invitation', 200, 'POST', '/auth/invitations/accept', {
    body: { token: await mailedToken(memberEmail), password, display_name: 'Mel Member' },
  })
  expectThat(accepted.user.status === 'active', 'the member is active')

  const { data: environments } = await step('The organization’s environments', 200, 'GET', '/environments', {
    credential: owner,
  })
  const development = environments.find(({ slug }: { slug: string }) => slug === 'development')
  const key = await step('A key that works in development only', 201, 'POST', '/api-keys', {
    credential: owner,
    body: { name: 'tour', environment_id: development.id },
  })
  const credential = key.raw_key

  const { agent, agent_key } = await step(
    'The key registers an agent, in its own environment',
    201,
    'POST',
    '/agents',
    {
      credential,
      body: {
        name: 'Invoice reader',
        framework: 'custom',
        model: 'any',
        tools: ['mcp:files/read', 'mcp:files/delete'],
      },
    },
  )
  expectThat(agent.environment.id === development.id, 'the agent is in development')

  const policy = await step('A policy that denies every call that no rule allows', 201, 'POST', '/policies', {
    credential,
    body: { name: 'Read only', environment_id: development.id, override_mode: 'enforce', default_effect: 'deny' },
  })
  await step('A rule: reading files is allowed', 201, 'POST', `/policies/${policy.id}/rules`, {
    credential,
    body: { name: 'read', priority: 10, effect: 'allow', match: { tools: ['mcp:files/read'] } },
  })
  const assigned = await step('Assign the policy to the agent', 200, 'POST', `/agents/${agent.id}/assign-policy`, {
    credential,
    body: { policy_id: policy.id },
  })
  expectThat(assigned.governance_state === 'governed', 'the agent is governed')

  const profile = await step(
    'The agent fetches its signed profile',
    200,
    'GET',
    `/edge/agents/${agent.id}/mission-profile`,
    {
      credential: agent_key,
    },
  )
  const beat = await step('… and reports what it runs', 200, 'POST', '/edge/heartbeat', {
    credential: agent_key,
    body: {
      instance_id: `tour-${mark}`,
      seq: 1,
      edge_version: '0.1.0',
      agents: [{ agent_id: agent.id, policy_id: profile.policy_id, policy_version: profile.policy_version }],
    },
  })
  expectThat(beat.agents.length === 1, 'the heartbeat response contains the agent')

  const versions = await step('Every save of the policy is a version', 200, 'GET', `/policies/${policy.id}/versions`, {
    credential: owner,
  })
  expectThat(versions.data[0].version === 2, 'the newest version is 2')

  const audit = await step(
    'The audit trail names who made the key',
    200,
    'GET',
    '/audit?source=control_plane&event_type=api_key.created',
    { credential: owner },
  )
  expectThat(audit.data[0]?.actor.email === ownerEmail, 'the entry names the owner')
  expectThat(!JSON.stringify(audit).includes(credential), 'the entry does not contain the key')
  const verified = await step('… and is verified', 200, 'GET', '/audit/verify', { credential: owner })
  expectThat(verified.valid === true, 'the audit trail is valid')
}

async function addressIn(folder: string): Promise<string | undefined> {
  return await readFile(join(folder, 'address'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}

/**
 * Checks that the data folder belongs to the server: its key is the key with which the server signs. In another folder, the tour would not find the
 * mail with the invitation, and the organization that it has created would stay.
 * @throws Error if the folder belongs to another server
 */
async function expectDataOf(folder: string): Promise<void> {
  const [served] = (await (await fetch(`${base}/edge/signing-key`)).json()).keys
  const pem = process.env.MANDATE_SIGNING_KEY ?? (await storedSigningKey(folder))
  const own =
    pem && createPublicKey(createPrivateKey(pem.replaceAll('\\n', '\n'))).export({ type: 'spki', format: 'pem' })
  if (!own || own.toString().trim() !== served.public_key_pem.trim()) {
    throw new Error(
      `the server at ${base} does not keep its data in ${folder}; set DATA_DIR as the server has it. Nothing was changed`,
    )
  }
}

async function storedSigningKey(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'secrets.json'), 'utf8').catch(() => null)
  return text === null ? undefined : JSON.parse(text).signingKey
}

interface Call {
  credential?: string
  body?: unknown
}

/** Makes one request, prints it and returns the response body. @throws Error for an unexpected status */
async function step(title: string, status: number, method: string, path: string, { credential, body }: Call) {
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(credential && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  steps++
  process.stdout.write(`${String(steps).padStart(2)}. ${title}\n    ${method} ${path} → ${response.status}\n`)
  if (response.status !== status)
    throw new Error(`${method} ${path}: expected status ${status}, got ${response.status}: ${text}`)
  return JSON.parse(text)
}

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`check failed: ${what}`)
}

/** Waits for a mail to an address and returns the token of the newest. The server sends mail shortly after the request. */
async function mailedToken(address: string): Promise<string> {
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; await pause(100)) {
    const names = await readdir(mailFolder).catch(() => [])
    const newest = names
      .filter((name) => name.includes(address) && name.endsWith('.eml'))
      .sort()
      .at(-1)
    const token = newest && /[?&]token=([\w-]+)/.exec(await readFile(join(mailFolder, newest), 'utf8'))?.[1]
    if (token) return token
  }
  throw new Error(`no invitation for ${address} in ${mailFolder}; set DATA_DIR to the server’s data folder`)
}

function explain(error: unknown): string {
  const { message, cause } = error as Error
  if (!(cause instanceof Error)) return message
  const why = (cause as NodeJS.ErrnoException).code ?? cause.message
  return `the server at ${given} cannot be reached (${why}): run npm start, or name a server: npm run tour -- http://127.0.0.1:8080`
}
