import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../packages/edge/test/mcp/testing/servers.ts'
import { withOwner } from '../invariants/find-broken.ts'
import { runProgram, sharedMandate, temporaryFolder } from './mandate-process.ts'

const server = sharedMandate()

const tour = (dataDir: string, ...url: string[]) =>
  runProgram('npm', ['run', 'tour', '--', ...url], { DATA_DIR: dataDir })

test('the tour completes against a new server, whose port it finds in the data folder', async () => {
  const { code, stdout, stderr } = await tour(server().dataDir)
  expect(stdout + stderr).toContain('steps, all with the expected result')
  expect(code).toBe(0)
})

test('the tour changes nothing on a server whose data folder is another', async () => {
  // Other tests register people too; the addresses of the tour have this form.
  const text = `select email from users where email ~ '^owner-[0-9a-f]{6}@'`
  const registered = () => withOwner(server().dataDir, async (client) => (await client.query(text)).rows)
  const before = await registered()
  expect(before).not.toEqual([])
  const { code, stdout, stderr } = await tour(await temporaryFolder(), server().url)
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('does not keep its data in') })
  expect(stdout).not.toContain('Register')
  expect(await registered()).toEqual(before)
})

test('the tour says what to do if no server answers, and names the address that it found in the data folder', async () => {
  const dataDir = await temporaryFolder()
  const url = `http://127.0.0.1:${await freePort()}`
  await writeFile(join(dataDir, 'address'), `${url}\n`)
  const { code, stderr } = await tour(dataDir)
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${url} cannot be reached (ECONNREFUSED): run npm start, or name a server`),
  })
})
