import { expect, test } from 'vitest'
import { runProgram, sharedMandate, temporaryFolder } from './mandate-process.ts'

const server = sharedMandate()

const tour = (dataDir: string) => runProgram('npm', ['run', 'tour', '--', server().url], { DATA_DIR: dataDir })

test('the tour completes against a new server', async () => {
  const { code, stdout, stderr } = await tour(server().dataDir)
  expect(stdout + stderr).toContain('steps, all with the expected result')
  expect(code).toBe(0)
})

test('the tour changes nothing on a server whose data folder is another', async () => {
  const registrations = () =>
    server()
      .log()
      .filter(({ path }) => path === '/api/v1/auth/register')
  const before = registrations()
  const { code, stdout, stderr } = await tour(await temporaryFolder())
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('does not keep its data in') })
  expect(stdout).not.toContain('Register')
  expect(registrations()).toEqual(before)
})
