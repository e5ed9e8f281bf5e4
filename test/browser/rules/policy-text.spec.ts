import type { Page } from '@playwright/test'
import { findViolationsOfThemes, overflowOf } from '../accessibility.ts'
import { newFleet } from '../fleet.ts'
import { expect, type Organization, serverUrl, signIn, test } from '../tenant.ts'

/** Opens a policy with four rules as text. Returns the editor. */
async function openText(page: Page, organization: Organization) {
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}?view=text`)
  const text = page.getByRole('textbox', { name: 'Policy as JSON' })
  await expect(text).toBeVisible()
  return { policy, text }
}

const valid = (rest: object = {}) => JSON.stringify({ name: 'Support', default_effect: 'deny', rules: [], ...rest })

test('the form and the text change one document', async ({ page, organization, expectedFaults }) => {
  expectedFaults.push(/^400 POST .*validate$/)
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await page.getByRole('button', { name: 'Edit Never close accounts' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Never close any account')
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'Policy as JSON' })
  await expect(text).toContainText('"name": "Never close any account"')
  await text.fill('{\n  "name": x')
  await expect(page.getByRole('alert').getByText('Line 2 is not valid JSON.')).toBeVisible()
  await expect(text).toHaveAttribute('aria-invalid', 'true')
  const { rules, ...fields } = policy
  const misspelled = { tools: ['mcp:files/write'], wen: [{ path: 'args.path', op: 'eq', value: '/tmp' }] }
  await text.fill(JSON.stringify({ ...fields, rules: [{ priority: 1, effect: 'allow', match: misspelled }] }))
  await expect(page.getByText('rules[0].match.wen is not a field of this object')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save version 2' })).toBeDisabled()
  const attempt = page.getByRole('region', { name: 'Try a call' })
  await attempt.getByLabel('Tool').fill('mcp:files/write')
  await expect(attempt.getByText('This is what version 1 says.')).toBeVisible()
  await text.fill(JSON.stringify({ ...fields, rules: [{ ...rules[0], name: 'Never close any account' }] }))
  await expect(text).toHaveAttribute('aria-invalid', 'false')
  await page.getByRole('button', { name: 'Form', exact: true }).click()
  await expect(page.getByText('Never close any account')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Edit / })).toHaveCount(1)
  await expect(page.getByText('draft, 4 changes')).toBeVisible()
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(text).toContainText('"name": "Never close accounts"')
})

test('shows the words of the server at the line, and reports no violation of the security policy', async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*validate$/)
  await page.addInitScript(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => seen.push(violatedDirective))
  })
  const { text } = await openText(page, organization)
  await text.fill('')
  await page.keyboard.insertText(
    '{\n"name": "Support",\n"rules": [\n{"priority": 1, "effect": "deny",\n"match": {"tools": ["sms"]}},\n',
  )
  await page.keyboard.insertText('{"priority": 2, "effect": "allow", "match": {"tools": ["http"]}}\n]}')
  const words = /rules\[0\]\.match\.tools\[0\] is not a tool pattern/
  const faults = text.locator('[data-fault]')
  const wordsOf = () => faults.evaluateAll((lines) => lines.map((line) => line.getAttribute('data-fault')))
  await expect(faults).toHaveCount(2)
  expect(await wordsOf()).toEqual([
    expect.stringMatching(words),
    expect.stringMatching(/^rules\[1\]\.match\.tools\[0\] is/),
  ])
  await expect(text.locator('.cm-line').nth(4)).toHaveAttribute('data-fault', words)
  const shown = await faults.first().evaluate((line) => getComputedStyle(line, '::after').content)
  expect(shown).toContain('is not a tool pattern')
  await expect(page.getByRole('alert').getByText('2 places need a fix.')).toBeVisible()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('F8')
  await page.keyboard.insertText('"mcp:sms/send"')
  await expect(faults).toHaveCount(1)
  await page.getByRole('button', { name: 'Line 6' }).click()
  await expect(text).toBeFocused()
  await text.fill(valid({ default_effect: 'maybe' }))
  await expect(faults).toHaveAttribute('data-fault', /default_effect must be one of/)
  await text.fill(
    '{\n"name": "Support",\n"default_effect": "maybe",\n"rules": [\n{\n"priority": "first",\n"effect": "stop"}\n]}',
  )
  await expect(faults).toHaveCount(4)
  expect(await wordsOf()).toEqual([
    expect.stringMatching(/^default_effect must be one of/),
    'rules[0].match is required',
    'rules[0].priority must be a number',
    expect.stringMatching(/^rules\[0\]\.effect must be one of/),
  ])
  expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([])
})

test('undoes, finds, and lets the keyboard leave', { tag: '@long' }, async ({ page, organization }) => {
  const { text } = await openText(page, organization)
  await text.fill(valid({ description: 'one' }))
  await page.keyboard.type(' ')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await expect(text).toContainText('Never close accounts')
  await page.keyboard.press('Control+Shift+z')
  await expect(text).toContainText('"description":"one"')
  // Tab indents, and never traps the focus.
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Tab')
  await expect(text).toBeFocused()
  await expect(text.locator('.cm-line').first()).toHaveText(/^ {2}\{/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(text).not.toBeFocused()
  await text.focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByRole('button', { name: 'Text', exact: true })).toBeFocused()
  await text.focus()
  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find' }).pressSequentially('default_effect')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(text).toBeFocused()
  await page.keyboard.insertText('x')
  await expect(text).toContainText('"x":"deny"')
})

test('has no accessibility violation with a fault and with the search open', { tag: '@long' }, async ({
  page,
  organization,
  expectedFaults,
}) => {
  expectedFaults.push(/^400 POST .*validate$/)
  const { text } = await openText(page, organization)
  await text.fill(valid({ default_effect: 'maybe' }))
  await expect(text.locator('[data-fault]')).toBeVisible()
  await page.keyboard.press('Control+f')
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await findViolationsOfThemes(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
  }
})

test('is a plain field if the editor cannot be loaded', { tag: '@long' }, async ({ page, context, organization }) => {
  const { policy } = await newFleet(serverUrl(), organization)
  await signIn(page, organization.email, `/policies/${policy.id}`)
  await expect(page.getByText('Never close accounts')).toBeVisible()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'Policy as JSON' })
  await expect(page.getByText('The editor could not be loaded.')).toBeVisible()
  await context.setOffline(false)
  await text.fill('{\n  "name": x')
  await expect(page.getByText('Line 2 is not valid JSON.')).toBeVisible()
  const { rules, ...fields } = policy
  await text.fill(JSON.stringify({ ...fields, rules: rules.slice(0, 1) }))
  await page.getByRole('button', { name: 'Save version 2' }).click()
  await expect(page.getByText('Saved version 2.')).toBeVisible()
})
