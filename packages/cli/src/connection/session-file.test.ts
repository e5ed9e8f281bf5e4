import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { lockFolder } from '@mandate/edge/state/lock-folder'
import { expect, onTestFinished, test } from 'vitest'
import { removeHome } from '../../../edge/test/state/no-home.ts'
import { readEnvironment } from '../invocation/environment.ts'
import { type Invocation, processInvocation, runAs } from '../invocation/invocation.ts'
import { changeSessions } from './change-sessions.ts'
import { connect } from './connect.ts'
import { readSessions, type SessionFile } from './session-file.ts'

const tokens = { access_token: 'a', refresh_token: 'r', expires_at: 0, email: 'e@example.com' }

const signIn = (url: string) => (file: SessionFile) => {
  file.sessions[url] = tokens
  file.current = url
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'mandate-sessions-'))
  onTestFinished(() => rm(made, { recursive: true }))
  return join(made, 'mandate')
}

test('keeps every one of several simultaneous changes', async () => {
  const dir = await folder()
  const urls = Array.from({ length: 20 }, (_, index) => `http://host-${index}`)
  await Promise.all(urls.map((url) => changeSessions(dir, signIn(url))))
  expect(Object.keys((await readSessions(dir)).sessions).sort()).toEqual(urls.sort())
  expect(await readdir(dir)).toEqual(['lock', 'sessions.json'])
})

test('lets only the owner read the file, even after its rights were widened', async () => {
  const dir = await folder()
  await changeSessions(dir, () => {})
  await chmod(join(dir, 'sessions.json'), 0o644)
  await changeSessions(dir, () => {})
  expect((await stat(join(dir, 'sessions.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(dir)).mode & 0o777).toBe(0o700)
})

test('writes nothing and releases the lock if a change fails', async () => {
  const dir = await folder()
  await changeSessions(dir, signIn('http://kept'))
  const failing = changeSessions(dir, (file) => {
    file.current = 'http://lost'
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect((await readSessions(dir)).current).toBe('http://kept')
  await changeSessions(dir, () => {})
})

test('takes the space for the new file before a change, and leaves no other file', async () => {
  const dir = await folder()
  const temporary = async () => (await readdir(dir)).filter((name) => name.startsWith('.sessions-'))
  await changeSessions(dir, async (file) => {
    const [name = 'none'] = await temporary()
    expect((await stat(join(dir, name))).size).toBeGreaterThan(4096)
    signIn('http://kept')(file)
  })
  await expect(changeSessions(dir, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await temporary()).toEqual([])
  expect(Object.keys((await readSessions(dir)).sessions)).toEqual(['http://kept'])
})

test('no leftover file blocks a command, whatever its text, date or process', async () => {
  const dir = await folder()
  await changeSessions(dir, () => {})
  for (const [text, seconds] of [
    ['', 0],
    ['1', 9e9],
    [String(process.pid), 9e9],
    ['no number', 0],
  ] as const) {
    for (const name of ['sessions.lock', 'lock.pid']) {
      await writeFile(join(dir, name), text)
      await utimes(join(dir, name), seconds, seconds)
    }
    await changeSessions(dir, signIn(`http://${seconds}`), { noteAfterMs: 0, limitMs: 0 })
  }
  await mkdir(join(dir, 'lock.pid'))
  await changeSessions(dir, signIn('http://folder'), { noteAfterMs: 0, limitMs: 0 })
  expect((await readSessions(dir)).current).toBe('http://folder')
})

test('a command that waits for another one says for which process, and stops waiting at the limit', async () => {
  const dir = await folder()
  await changeSessions(dir, () => {})
  const held = lockFolder(dir)!
  await writeFile(join(dir, 'lock.pid'), '4711')
  const notes = new PassThrough()
  const run = { args: [], env: {}, cwd: dir, stdin: new PassThrough(), stdout: notes, stderr: notes, exitCode: 0 }
  const failing = changeSessions(dir, () => {}, { noteAfterMs: 0, limitMs: 0 })
  await expect(failing).rejects.toThrow(`process id 4711 did not finish with ${dir}/sessions.json`)
  const waiting = runAs(run, () => changeSessions(dir, signIn('http://a'), { noteAfterMs: 0, limitMs: 60_000 }))
  const [said] = await once(notes, 'data')
  expect(String(said)).toBe(
    `waiting for the mandate command with process id 4711, which changes ${dir}/sessions.json\n`,
  )
  held.release()
  await waiting
  expect((await readSessions(dir)).current).toBe('http://a')
})

test.each(['{', '', 'null', '[]', '{}', '{"sessions":5}', '{"sessions":{},"current":5}', '{"sessions":{"a":null}}'])(
  'rejects the broken file %j with a hint to sign in again',
  async (text) => {
    const dir = await folder()
    await changeSessions(dir, () => {})
    await writeFile(join(dir, 'sessions.json'), text)
    await expect(readSessions(dir)).rejects.toMatchObject({
      message: `cannot read ${dir}/sessions.json: it is damaged`,
      hint: expect.stringContaining('mandate login'),
    })
  },
)

test('names a lock file that is damaged', async () => {
  const dir = await folder()
  await changeSessions(dir, () => {})
  await writeFile(join(dir, 'lock'), 'no database')
  await expect(changeSessions(dir, () => {})).rejects.toThrow(`the file ${dir}/lock is damaged; delete it`)
  await rm(join(dir, 'lock'))
  await mkdir(join(dir, 'lock'))
  await expect(changeSessions(dir, () => {})).rejects.toThrow(
    `${dir}/lock cannot be opened, because it is a folder; delete it`,
  )
})

test('names a configuration folder that cannot be made', async () => {
  const dir = await folder()
  await writeFile(dir, '')
  await expect(changeSessions(dir, () => {})).rejects.toThrow(`cannot store a session in ${dir}: `)
})

test.skipIf(process.platform !== 'linux')('rejects a folder in a file system that takes no folders', async () => {
  await expect(changeSessions('/proc/mandate', () => {})).rejects.toMatchObject({
    message: 'cannot store a session in /proc/mandate: the folder cannot be made here',
    hint: expect.stringContaining('MANDATE_CONFIG_DIR'),
  })
})

test('a user without a home folder needs none with an API key, and is told what to set otherwise', async () => {
  removeHome()
  const connectWith = (env: Invocation['env']) => runAs({ ...processInvocation, env }, () => connect())
  const withKey = { MANDATE_URL: 'https://mandate.example.com', MANDATE_API_KEY: `mk_${'0'.repeat(64)}` }
  expect(await connectWith(withKey)).toMatchObject({ via: 'api_key' })
  await expect(connectWith({})).rejects.toMatchObject({
    message: 'the folder of the session file is unknown, because this user has no home folder',
    hint: 'set HOME or MANDATE_CONFIG_DIR, or use MANDATE_URL and MANDATE_API_KEY without a session',
  })
  const set = { MANDATE_CONFIG_DIR: '/config/mandate' }
  expect(runAs({ ...processInvocation, env: set }, () => readEnvironment().configDir)).toBe('/config/mandate')
})
