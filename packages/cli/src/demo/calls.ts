import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expectThat } from './expect-that.ts'
import type { Governed } from './govern.ts'
import type { People } from './people.ts'
import type { Stage } from './stage.ts'
import { type Behind, secret } from './start-edge.ts'

/** Shows a call that the policy allows: it reaches the tool. */
export async function callAllowed({ narrator }: Stage, people: People, { policy }: Governed, behind: Behind) {
  await narrator.step('A call that is allowed')
  const args = { path: join(behind.files, 'notes.txt') }
  narrator.say('The agent Researcher calls the tool read_text_file on notes.txt.')
  const outcome = await behind.researcher.call('read_text_file', args)
  expectThat(outcome.verdict === 'allow' && outcome.text.includes('412 invoices'), 'Researcher reads notes.txt')
  const { results } = await people.olivia.call('simulatePolicy', {
    path: { policy_id: policy.id },
    body: { calls: [{ tool: 'mcp:files/read_text_file', args }] },
  })
  const rule = policy.rules.find(({ id }) => id === results[0]?.rule_id)
  expectThat(
    rule !== undefined && results[0]?.effect === 'allow',
    'the control plane makes the same decision as the edge',
  )
  narrator.mark('ALLOWED', `by the rule “${rule.name}”: ${rule.reason}`)
  narrator.say(`The server answers: “${outcome.text.trim()}”`)
}

/** Shows a call that the policy denies: the edge responds with the reason. */
export async function callDenied({ narrator }: Stage, { researcher, files }: Behind) {
  await narrator.step('A call that is denied')
  narrator.say('Researcher calls read_text_file on secrets/bank.txt, by its full path.')
  const outcome = await researcher.call('read_text_file', { path: join(files, 'secrets', 'bank.txt') })
  expectThat(outcome.verdict === 'deny' && !outcome.text.includes(secret), 'the secret is not read')
  narrator.mark('DENIED', outcome.why)
  narrator.say('Researcher calls again, with the path written as public/../secrets/bank.txt.')
  const again = await researcher.call('read_text_file', { path: `${files}/public/../secrets/bank.txt` })
  expectThat(again.verdict === 'deny' && !again.text.includes(secret), 'another spelling of the path is denied too')
  narrator.mark('DENIED', again.why)
  narrator.say('Researcher calls again with a relative path, secrets/bank.txt. A rule cannot know which file this is.')
  const relative = await researcher.call('read_text_file', { path: 'secrets/bank.txt' })
  expectThat(relative.verdict === 'deny' && !relative.text.includes(secret), 'a relative path is denied')
  narrator.mark('DENIED', relative.why)
  narrator.say(
    'The calls do not reach the file server. The agent gets the reason, so it can continue without the file.',
  )
}

/** Shows a call that waits for approval. After the approval, the same call may pass once. */
export async function callHeld({ narrator }: Stage, { mel }: People, { reporter, files }: Behind) {
  await narrator.step('A call that waits for a person')
  const path = join(files, 'summary.txt')
  const write = { path, content: 'March: 3 disputed invoices.' }
  narrator.say('The agent Reporter calls the tool write_file on summary.txt.')
  const held = await reporter.call('write_file', write)
  expectThat(held.verdict === 'require_approval' && held.approvalId !== undefined, 'the call waits for an approval')
  expectThat((await contentOf(path)) === undefined, 'the file is not written before the call is approved')
  const approval = await mel.call('getApproval', { path: { approval_id: held.approvalId } })
  narrator.mark('HELD', `by the rule “${approval.rule_name}”: ${approval.reason}`)
  narrator.say(`Mel sees who asks for what: ${approval.agent_name}, ${approval.tool}, “${approval.arguments?.content}”`)
  const body = { outcome: 'approved' as const, comment: 'these figures may be shared' }
  await mel.call('resolveApproval', { path: { approval_id: approval.id }, body })
  narrator.say(`Mel approves: “${body.comment}”. Reporter makes the same call again.`)
  const passed = await reporter.call('write_file', write)
  expectThat(
    passed.verdict === 'allow' && (await contentOf(path)) === write.content,
    'the approved call writes the file',
  )
  narrator.mark('ALLOWED', 'by the approval, which is now used up: summary.txt is written')
  const third = await reporter.call('write_file', write)
  expectThat(
    third.verdict === 'require_approval' && third.approvalId !== approval.id,
    'the next call needs a new approval',
  )
  narrator.mark('HELD', 'when Reporter makes the call once more: an approval is valid for one call only')
}

async function contentOf(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(() => undefined)
}
