import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addPerson } from '../people.ts'
import { choose, closeDialog, expect, type Organization, signIn, test } from '../tenant.ts'

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

const main = join(import.meta.dirname, '../../../packages/cli/src/main.ts')

test('an owner creates an edge, starts it with the command that is shown, and sees it report', async ({
  page,
  organization,
}) => {
  const environment_id = organization.environments.production
  await organization.api.call('createAgent', { body: { name: 'price-watcher', environment_id } })
  await signIn(page, organization.email)
  await page.getByRole('link', { name: /^Edges/ }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Edges')
  await page.getByRole('button', { name: 'Create edge' }).click()
  await page.getByLabel('Name').fill('hall-3-a')
  await page.getByRole('dialog').getByLabel('Environment').selectOption('Production')
  await page.getByRole('dialog').getByRole('button', { name: 'Create edge' }).click()
  await expect(page.getByText('It names the agents that the edge serves')).toBeVisible()
  await page.getByRole('button', { name: 'Copy the command that starts the edge' }).click()
  await expect(page.getByText('Waiting for the first heartbeat')).toBeVisible()
  await page.getByText('Put the edge in front of your MCP servers').click()
  await expect(page.getByText('http://127.0.0.1:8090/mcp/files')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy the file of servers' })).toBeVisible()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const edge = await startEdge(command)
  try {
    await expect(page.getByText('The first heartbeat has arrived.')).toBeVisible()
    await closeDialog(page.getByRole('dialog'), 'I stored it')
    await page.getByRole('link', { name: 'hall-3-a' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('hall-3-a')
    await expect(page.getByText('This edge reports and serves 1\u00a0agent')).toBeVisible()
  } finally {
    await edge.stop()
  }
  await page.getByRole('button', { name: 'Revoke' }).click()
  await closeDialog(page.getByRole('dialog'), 'Revoke')
  await expect(page).toHaveURL(/\/edges$/)
  await expect(page.getByText('An edge is a process beside the agents.')).toBeVisible()
})

/** Runs the command that the page shows, with this program in the place of `npx mandate`. */
async function startEdge(command: string) {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-browser-edge-'))
  const [, key, rest] =
    /^MANDATE_EDGE_KEY=(\S+) npx mandate (edge run .*)$/.exec(command.replaceAll(/\\\n\s*/g, '')) ?? []
  const env = { ...process.env, MANDATE_EDGE_KEY: key, MANDATE_EDGE_STATE: folder }
  const child = spawn(process.execPath, [main, ...(rest ?? '').split(' '), '--port', '0'], { env, stdio: 'ignore' })
  return {
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode === null) {
        child.kill('SIGTERM')
        await ended
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

test('a name that the server refuses is an error at its field', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*edges$/)
  await signIn(page, organization.email, '/edges')
  await page.getByRole('button', { name: 'Create edge' }).click()
  await page.getByLabel('Name').fill('   ')
  await page.getByRole('dialog').getByRole('button', { name: 'Create edge' }).click()
  await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
})

test('a filter without a match leads back to all edges', { tag: '@long' }, async ({ page, organization }) => {
  await addEdge(organization, 'hall-3-a')
  await signIn(page, organization.email, '/edges?silent=true')
  await expect(page.getByText('No edge matches: State Silent.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await expect(page.getByRole('row', { name: /^hall-3-a/ })).toContainText('Never reported')
  await choose(page, 'Environment', 'Development')
  await expect(page).toHaveURL(/environment_id=/)
  await expect(page.getByText('No edge matches: Environment Development.')).toBeVisible()
})

test('the page of an edge that never reported names the agents of its environment', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  const { api, environments } = organization
  const edge = (await addEdge(organization, 'hall-3-a')).edge
  await signIn(page, organization.email, `/edges/${edge.id}`)
  await expect(page.getByText('The environment has no agent yet')).toBeVisible()
  const create = (name: string, environment_id: string) => api.call('createAgent', { body: { name, environment_id } })
  const [{ agent }, other] = await Promise.all([
    create('price-watcher', environments.production),
    create('test-runner', environments.development),
  ])
  await page.reload()
  const start = page.getByRole('region', { name: 'Start' })
  await expect(start.getByText(`--agents ${agent.id}`)).toBeVisible()
  await expect(start).toContainText('It names the agents that the edge serves')
  await expect(start).not.toContainText(other.agent.id)
})

test('a viewer sees the edges, and why none can be created or revoked', { tag: '@long' }, async ({
  page,
  organization,
}) => {
  await addEdge(organization, 'hall-3-a')
  const sven = await addPerson(organization, { role: 'viewer', name: 'Sven Okkarinen' })
  await signIn(page, sven.email, '/edges')
  await expect(page.getByRole('button', { name: 'Create edge' })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('link', { name: 'hall-3-a' }).click()
  const revoke = page.getByRole('button', { name: 'Revoke' })
  await expect(revoke).toHaveAttribute('aria-disabled', 'true')
  await expect(revoke).toHaveAccessibleDescription(/viewer|member/i)
})

test('an edge that is unknown says so', { tag: '@long' }, async ({ page, organization, expectedFaults }) => {
  expectedFaults.push(/^404 GET .*edges/)
  await signIn(page, organization.email, `/edges/${crypto.randomUUID()}`)
  await expect(page.getByText('There is no such edge, or you may not see it.')).toBeVisible()
})

const addEdge = ({ api, environments }: Organization, name: string) =>
  api.call('createEdge', { body: { name, environment_id: environments.production } })
