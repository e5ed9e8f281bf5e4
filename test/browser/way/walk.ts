import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import type { Shell } from '../shell.ts'
import type { Hands } from './hands.ts'

/** Who walks, and what they use. */
export interface Walker {
  hands: Hands
  /** The terminal beside the browser. */
  shell: Shell
}

const agentName = 'release-notes'
const edgeStartMs = 60_000
const verifyMs = 60_000

/** The steps of a new person, from an empty server to a verified audit trail. Each step starts where the step before ended. */
export const way: readonly { name: string; take: (walker: Walker) => Promise<void> }[] = [
  { name: 'Create an organization', take: ({ hands }) => createOrganization(hands) },
  { name: 'Create an agent', take: ({ hands }) => createAgent(hands) },
  { name: 'Start the edge', take: startEdge },
  { name: 'Approve the agent', take: ({ hands }) => approveAgent(hands) },
  { name: 'See an allowed call', take: seePass },
  { name: 'See a denied call', take: seeDenial },
  { name: 'See a call that waits', take: holdCall },
  { name: 'Approve the call', take: approveCall },
  { name: 'Verify the audit trail', take: ({ hands }) => verifyTrail(hands) },
]

/** The sentence of the page. */
export const sentence = (page: Page, text: string | RegExp) => page.getByRole('paragraph').filter({ hasText: text })

/** The command that the first-run checklist shows under a title. */
export const commandUnder = (page: Page, title: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: title }) })
    .locator('pre')
    .innerText()

async function createOrganization({ page, press, write }: Hands): Promise<void> {
  await page.goto('/')
  await press(page.getByRole('link', { name: 'Create an organization' }))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create an organization')
  await write(page.getByLabel('Organization'), 'Kvist Labs')
  await write(page.getByLabel('Your name'), 'Mara Lindqvist')
  await write(page.getByLabel('E-mail'), `mara-${randomUUID()}@kvist.example`)
  await write(page.getByLabel('Password'), 'seven wet goats sing')
  await press(page.getByRole('button', { name: 'Create an organization' }))
  await expect(sentence(page, '0 of 5 steps are done.')).toBeVisible()
}

export async function createAgent({ page, press, write }: Hands): Promise<void> {
  await write(page.getByLabel('Name of the agent'), agentName)
  await press(page.getByRole('button', { name: 'Create the policy and the agent' }))
  await expect(sentence(page, '1 of 5 steps is done.')).toBeVisible()
}

export async function startEdge({ hands: { page, press }, shell }: Walker): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const command = await commandUnder(page, 'Start the edge')
  await press(page.getByRole('button', { name: 'Copy the command that starts the edge' }))
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command)
  shell.start(command)
  await expect(sentence(page, '2 of 5 steps are done.')).toBeVisible({ timeout: edgeStartMs })
}

export async function approveAgent({ page, press, write, open }: Hands): Promise<void> {
  await press(page.getByRole('link', { name: 'Open the review' }))
  await press(page.getByRole('button', { name: 'Approve' }))
  const dialog = page.getByRole('dialog', { name: `Approve ${agentName}?` })
  await write(dialog.getByLabel('Comment'), 'Starter policy')
  await press(dialog.getByRole('button', { name: 'Approve' }))
  await expect(page.getByText('This review is approved.')).toBeVisible()
  await open('Overview')
  await expect(sentence(page, '3 of 5 steps are done.')).toBeVisible()
}

export async function seePass({ hands: { page }, shell }: Walker): Promise<void> {
  const { code, stdout } = await shell.run(await commandUnder(page, 'Make a call that is allowed'))
  expect(stdout).toMatch(/^Decision +Allowed$/m)
  expect(stdout, 'the demonstration server answers').toMatch(/\n\nThe release notes are not finished\.\n$/)
  expect(code).toBe(0)
  await expect(sentence(page, '4 of 5 steps are done.')).toBeVisible()
}

export async function seeDenial({ hands: { page }, shell }: Walker): Promise<void> {
  const { code, stdout } = await shell.run(await commandUnder(page, 'Make a call that is denied'))
  expect(stdout).toMatch(/^Decision +Denied$/m)
  expect(stdout).toMatch(/^Rule +Deletes$/m)
  expect(code).toBe(2)
  // Nothing is loaded again: the page shows the decision by itself.
  await expect(sentence(page, '5 of 5 steps are done.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'See why it was denied' })).toBeVisible()
}

async function holdCall({ hands: { page, press }, shell }: Walker): Promise<void> {
  const { code, stdout } = await shell.run(await commandUnder(page, 'Decide a call that waits'))
  expect(stdout).toMatch(/^Decision +Waits for a person$/m)
  expect(code).toBe(3)
  await press(page.getByRole('link', { name: 'Open Approvals' }))
  await expect(page.getByRole('article', { name: `${agentName} wants to call mcp:demo/write` })).toBeVisible()
}

async function approveCall({ hands: { page, press, write, open }, shell }: Walker): Promise<void> {
  const call = page.getByRole('article')
  await write(call.getByLabel('Comment'), 'A draft may be written')
  await press(call.getByRole('button', { name: 'Approve' }))
  const dialog = page.getByRole('dialog', { name: `Approve this call of ${agentName}?` })
  await press(dialog.getByRole('button', { name: 'Approve' }))
  await expect(call.getByText('Approved, not used')).toBeVisible()
  await open('Overview')
  const { code, stdout } = await shell.run(await commandUnder(page, 'Decide a call that waits'))
  expect(code, 'the same call passes once after the approval').toBe(0)
  expect(stdout).toContain('Wrote draft.txt in memory.')
}

async function verifyTrail({ page, press, open }: Hands): Promise<void> {
  await open('Audit trail')
  const proof = page.getByRole('region', { name: 'Proof' })
  await expect(proof.getByText('Not verified yet')).toBeVisible()
  await press(page.getByRole('button', { name: 'Verify' }))
  await expect(proof.getByText('Intact')).toBeVisible({ timeout: verifyMs })
  await expect(proof).toContainText('by Mara Lindqvist')
}
