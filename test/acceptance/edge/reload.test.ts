import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { startScripted } from '../../../packages/edge/test/mcp/testing/scripted-upstream.ts'
import { joinControlPlane, type Organization } from './control-plane.ts'
import { stateFolder } from './edge-in-test.ts'
import { type EdgeProcess, startEdgeProcess } from './edge-process.ts'

let plane: Organization
const timeout = 60_000

beforeAll(async () => {
  plane = await joinControlPlane()
})

/** How often the edge has read its servers file since its start, with the given result. */
const countOf = ({ output }: EdgeProcess, message: string) => output().split(`"msg":"${message}"`).length - 1
const readAgain = 'the list of MCP servers was reloaded'
const unchanged = 'cannot reload the MCP servers; the current servers stay'

it('reloads its servers at SIGHUP and when their file changes, and keeps them if the file is invalid', async () => {
  const upstream = await startScripted()
  onTestFinished(upstream.stop)
  const stateDir = await stateFolder()
  const file = join(stateDir, 'servers.json')
  const write = (...names: string[]) =>
    writeFile(file, JSON.stringify({ servers: Object.fromEntries(names.map((name) => [name, { url: upstream.url }])) }))
  await write('first')
  const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0' }
  const edge = await startEdgeProcess(plane.server.url, await plane.newAgent({}), stateDir, { settings })
  const base = /"mcp_url":"([^"]+)"/.exec(edge.output())?.[1]
  const statusOf = async (name: string) => {
    const headers = { authorization: `Bearer ${edge.token}`, 'content-type': 'application/json' }
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    return (await fetch(`${base}/mcp/${name}`, { method: 'POST', headers, body })).status
  }
  expect([await statusOf('first'), await statusOf('second')]).toEqual([200, 404])

  // The file is unchanged, so only the signal can cause a reload.
  edge.child.kill('SIGHUP')
  await expect.poll(() => countOf(edge, readAgain), { timeout }).toBe(1)

  await write('first', 'second')
  await expect.poll(() => statusOf('second'), { timeout }).toBe(200)
  expect(countOf(edge, readAgain)).toBe(2)

  await writeFile(file, '{"servers":{"a/b":{}}}')
  await expect.poll(() => countOf(edge, unchanged), { timeout }).toBe(1)
  expect([await statusOf('first'), await statusOf('second')]).toEqual([200, 200])
  expect(edge.child.exitCode).toBeNull()
})
