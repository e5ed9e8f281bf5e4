import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TOTP } from 'otpauth'
import { expect, test, vi } from 'vitest'
import { callApi, password, register, tokenMailedTo } from '../call-api.ts'
import { sharedMandate } from '../mandate-process.ts'
import { commandLineUser, signedInUser } from './command-line-user.ts'

const mandate = sharedMandate()
const address = () => `owner-${randomUUID()}@example.com`

const command = fileURLToPath(new URL('../../../node_modules/.bin/mandate', import.meta.url))

test('stores a session readable only by its owner, refreshes it once for simultaneous commands, and ends it at logout', async () => {
  const server = mandate()
  const { email } = await register(server, address())
  const user = await signedInUser(server, email)
  const file = join(user.folder, '.config/sessions.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const kept = JSON.parse(await readFile(file, 'utf8'))
  expect(JSON.stringify(kept)).not.toContain(password)
  expect(await user.json(['whoami'])).toMatchObject([{ user: { email }, via: { type: 'session' } }])

  kept.sessions[server.url].expires_at = 0
  await writeFile(file, JSON.stringify(kept))
  // Processes, because the lock of the session file is between processes.
  const all = await Promise.all([1, 2, 3].map(() => user.runProcess(['whoami'])))
  expect(all.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ])
  const { refresh_token } = JSON.parse(await readFile(file, 'utf8')).sessions[server.url]
  expect(refresh_token).not.toBe(kept.sessions[server.url].refresh_token)

  expect(await user.run(['logout'])).toMatchObject({ code: 0, stdout: '' })
  expect(await callApi(server, 'POST', '/auth/refresh', { body: { refresh_token } })).toMatchObject({ status: 401 })
  expect(await user.run(['whoami'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not signed in') })
})

test('uses MANDATE_API_KEY before a session, sends it only to MANDATE_URL, and explains a refused key', async () => {
  const server = mandate()
  const { email, credential } = await register(server, address())
  const { body } = await callApi(server, 'POST', '/api-keys', { credential, body: { name: 'k', scopes: ['*:read'] } })
  const user = await signedInUser(server, email)
  const settings = { MANDATE_URL: server.url, MANDATE_API_KEY: body.raw_key }
  const who = await user.run(['whoami', '--json'], { settings })
  expect(JSON.parse(who.stdout)).toMatchObject({ via: { type: 'api_key', scopes: ['*:read'] } })
  const write = await user.run(['agents', 'create', 'a', '--environment', 'development'], { settings })
  expect(write).toMatchObject({ code: 1, stdout: '' })
  expect(write.stderr).toContain('mandate: API key scope does not permit this operation\n  the key’s scopes')
  const nowhere = await user.run(['whoami'], { settings: { MANDATE_API_KEY: body.raw_key } })
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('MANDATE_URL is not') })
  const wrong = await user.run(['whoami'], { settings: { ...settings, MANDATE_API_KEY: 'mk_wrong' } })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('unknown, revoked or expired') })
})

test('reports a wrong password, a missing terminal and an unreachable server differently', async () => {
  const server = mandate()
  const { email } = await register(server, address())
  const user = await commandLineUser()
  const login = ['login', '--url', server.url, '--email', email]
  const wrong = await user.run([...login, '--password-stdin'], { input: 'not it' })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('the sign-in was refused') })
  expect(await user.runProcess(login)).toMatchObject({ code: 2, stderr: expect.stringContaining('--password-stdin') })
  const nobody = ['login', '--url', 'http://127.0.0.1:1', '--email', email, '--password-stdin']
  const away = await user.run(nobody, { input: password })
  expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') })
})

test.runIf(process.platform === 'linux')(
  'asks for the password and the one-time password at a terminal, without echo',
  async () => {
    const server = mandate()
    const { email, credential } = await register(server, address())
    const { secret } = (await callApi(server, 'POST', '/auth/mfa/totp', { credential, body: {} })).body
    const totp = new TOTP({ secret })
    const used = totp.generate()
    await callApi(server, 'POST', '/auth/mfa/totp/confirm', { credential, body: { otp: used } })
    const { folder, settings } = await commandLineUser()
    // `script` runs the command on its own terminal and prints what appears there.
    const args = ['-qec', `${command} login --url ${server.url}`, '/dev/null']
    const child = spawn('script', args, { cwd: folder, env: { ...process.env, ...settings } })
    let screen = ''
    child.stdout.on('data', (chunk) => {
      screen += chunk
    })
    const answer = async (question: string, text: string) => {
      await vi.waitFor(() => expect(screen).toContain(question), { timeout: 60_000, interval: 20 })
      child.stdin.write(`${text}\r`)
    }
    // The code that enrolled the factor works only once, so this uses the next code.
    const otp = totp.generate({ timestamp: Date.now() + 30_000 })
    await answer('E-mail: ', email)
    await answer('Password: ', password)
    await answer('One-time password: ', otp)
    await new Promise((resolve) => child.once('close', resolve))
    expect(screen).toContain(`Signed in as ${email} (owner)`)
    expect(screen).not.toContain(password)
    expect(screen.replaceAll(email, '')).not.toContain(otp)
  },
)

test('password change and email verify work for the signed-in person’s account, but not with a key', async () => {
  const server = mandate()
  const { email, credential } = await register(server, address())
  const user = await signedInUser(server, email)
  const chosen = 'a password of my choice'
  const change = ['password', 'change', '--passwords-stdin']
  const wrong = await user.run(change, { input: `not it\n${chosen}\n` })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('current password is wrong') })
  const weak = await user.run(change, { input: `${password}\n1234567890\n` })
  expect(weak).toMatchObject({ code: 1, stderr: expect.stringContaining('most common') })
  expect(await user.run(change, { input: password })).toMatchObject({ code: 2 })
  expect(await user.run(change, { input: `${password}\n${chosen}\n` })).toMatchObject({ code: 0 })
  const signIn = (secret: string) => callApi(server, 'POST', '/auth/sign-in', { body: { email, password: secret } })
  expect([(await signIn(password)).status, (await signIn(chosen)).status]).toEqual([401, 200])

  expect(await user.run(['email', 'resend'])).toMatchObject({ code: 0 })
  const isVerified = async () => (await callApi(server, 'GET', '/auth/session', { credential })).body.email_verified
  expect(await isVerified()).toBe(false)
  expect(await user.run(['email', 'verify', 'nonsense'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('expired'),
  })
  await expect
    .poll(
      async () => {
        const token = await tokenMailedTo(server, email, 'verify-email')
        return (await user.run(['email', 'verify', `${server.url}/verify-email?token=${token}`])).code
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toBe(0)
  expect(await isVerified()).toBe(true)

  const settings = { MANDATE_URL: server.url, MANDATE_API_KEY: 'mk_any' }
  expect(await user.run(['email', 'resend'], { settings })).toMatchObject({ code: 2 })
})

test('sessions list shows where a person is signed in; revoke ends one session, all others, or the current one', async () => {
  const server = mandate()
  const { email, credential } = await register(server, address())
  const [laptop, phone] = [await signedInUser(server, email), await signedInUser(server, email)]
  const shown = await laptop.run(['sessions', 'list'])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^LAST_USED_AT \(UTC\) +CREATED_AT \(UTC\) +IP +CURRENT +ID +USER_AGENT\n/)
  expect(shown.stdout.match(/ 127\.0\.0\.1 +no /g)).toHaveLength(2)
  const current = async (user: typeof laptop) =>
    (await user.json(['sessions', 'list'])).find((session) => session.current).id

  const revoke = ['sessions', 'revoke']
  const ended = { code: 0, stdout: '', stderr: 'The session has ended.\n' }
  const phoneSession = await current(phone)
  expect(await laptop.run([...revoke, phoneSession])).toMatchObject(ended)
  expect(await phone.run(['sessions', 'list'])).toMatchObject({ code: 1, stderr: expect.stringContaining('has ended') })
  const again = await laptop.run([...revoke, phoneSession])
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('session not found') })
  for (const args of [revoke, [...revoke, phoneSession, '--all-others']]) {
    expect(await laptop.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--all-others') })
  }

  await signedInUser(server, email)
  const others = await laptop.run([...revoke, '--all-others'])
  expect(others).toMatchObject({ code: 0, stderr: '2 other sessions have ended.\n' })
  expect((await callApi(server, 'POST', '/api-keys', { credential, body: { name: 'k' } })).status).toBe(401)
  expect(await laptop.json(['sessions', 'list'])).toMatchObject([{ current: true, ip: '127.0.0.1' }])

  const own = await laptop.run([...revoke, await current(laptop)])
  expect(own).toMatchObject({ code: 0, stderr: `The session has ended. Signed out of ${server.url}\n` })
  expect(await laptop.run(['whoami'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not signed in') })
  const settings = { MANDATE_URL: server.url, MANDATE_API_KEY: 'mk_any' }
  expect(await laptop.run(['sessions', 'list'], { settings })).toMatchObject({ code: 2 })
})
