import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { register } from '../call-api.ts'
import { sharedMandate } from '../mandate-process.ts'
import { signedInUser } from './command-line-user.ts'

const mandate = sharedMandate()

async function setUp() {
  const { email } = await register(mandate(), `owner-${randomUUID()}@example.com`)
  return await signedInUser(mandate(), email)
}

test('api sends fields, headers, and a body from a file or standard input', async () => {
  const user = await setUp()
  const created = await user.run([
    'api',
    'POST',
    '/environments',
    '-f',
    'name=Staging',
    '-f',
    'slug=staging',
    '-F',
    'is_production=false',
  ])
  expect(created).toMatchObject({ code: 0, stderr: '' })
  const { id } = JSON.parse(created.stdout)
  expect(JSON.parse(created.stdout)).toMatchObject({ slug: 'staging', is_production: false })
  await writeFile(join(user.folder, 'body.json'), '{"name": "Stage"}')
  const changed = await user.run(['api', 'put', `/environments/${id}`, '--input', 'body.json', '-i', '-o', 'yaml'])
  expect(changed.stdout).toMatch(/^HTTP 200 OK\n[\s\S]*\nx-request-id: \S+\n[\s\S]*\nid: /)
  expect(parse(changed.stdout.slice(changed.stdout.indexOf('\n\n')))).toMatchObject({ name: 'Stage' })
  expect(changed.stdout.toLowerCase()).not.toContain('bearer')
  const piped = await user.runProcess(['api', 'PUT', `/environments/${id}`, '--input', '-', '--query', 'name'], {
    input: '{"name": "Sta\\u001bge"}',
  })
  expect(piped).toMatchObject({ code: 0, stdout: '"Sta\\u001bge"\n' })
  expect(await user.run(['api', 'DELETE', `/environments/${id}`])).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('api reads every page of a list, fails with exit code 1 on a refusal, and sends its credential nowhere else', async () => {
  const user = await setUp()
  const paged = await user.run(['api', '/environments', '-F', 'limit=1', '--paginate', '--json'])
  expect(
    paged.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).slug)
      .sort(),
  ).toEqual(['development', 'production'])
  expect((await user.run(['api', 'audit', '-F', 'limit=1', '--paginate', '--query', 'length(@)'])).stdout).toMatch(
    /^[1-9]\d*\n$/,
  )
  const refused = await user.run(['api', '/environments/none'])
  expect(refused).toMatchObject({ code: 1, stderr: 'mandate: environment_id must be a UUID (HTTP 400)\n' })
  expect(JSON.parse(refused.stdout)).toEqual({ error: 'environment_id must be a UUID' })
  const exported = await user.runProcess(['api', '/audit/export'])
  expect(
    exported.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  ).not.toHaveLength(0)
  for (const wrong of [
    ['https://example.com/agents'],
    ['FLY', '/agents'],
    ['/../healthz'],
    ['/agents', '-H', 'Authorization: Bearer x'],
    ['/agents', '--paginate', '-i'],
  ])
    expect(await user.run(['api', ...wrong])).toMatchObject({ code: 2, stdout: '' })
})

test('prints a list as a table, JSON, YAML or lines, and selects from it by a JMESPath expression', async () => {
  const user = await setUp()
  const list = (...more: string[]) => user.run(['environments', 'list', ...more])
  expect((await list('-o', 'table')).stdout).toBe((await list()).stdout)
  const whole = JSON.parse((await list('-o', 'json')).stdout)
  expect(whole).toHaveLength(2)
  expect(parse((await list('--output', 'yaml')).stdout)).toEqual(whole)
  expect(await user.json(['environments', 'list'])).toEqual(whole)
  expect(JSON.parse((await list('--query', 'sort([].slug)')).stdout)).toEqual(['development', 'production'])
  for (const wrong of [
    ['--query', '[['],
    ['-o', 'table', '--query', 'x'],
    ['-o', 'json', '--json'],
    ['-o', 'xml'],
  ])
    expect(await list(...wrong)).toMatchObject({ code: 2, stdout: '' })
  expect(await list('--query', 'abs(`"x"`)')).toMatchObject({ code: 1, stdout: '' })
})
