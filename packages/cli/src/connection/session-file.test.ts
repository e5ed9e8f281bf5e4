import { chmod, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { changeSessions } from './change-sessions.ts'
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
  expect(await readdir(dir)).toEqual(['sessions.json'])
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

test('ignores a stale lock', async () => {
  const dir = await folder()
  await changeSessions(dir, () => {})
  const lock = join(dir, 'sessions.lock')
  await writeFile(lock, '')
  await utimes(lock, 0, 0)
  await changeSessions(dir, signIn('http://a'))
  expect((await readSessions(dir)).current).toBe('http://a')
})

test('rejects a broken file with a hint to sign in again', async () => {
  const dir = await folder()
  await changeSessions(dir, () => {})
  await writeFile(join(dir, 'sessions.json'), '{')
  await expect(readSessions(dir)).rejects.toMatchObject({ hint: expect.stringContaining('mandate login') })
})

test.skipIf(process.platform !== 'linux')('rejects a folder in a file system that takes no folders', async () => {
  await expect(changeSessions('/proc/mandate', () => {})).rejects.toMatchObject({ code: 'ENOENT' })
})
