import type { Approval, ApprovalOutcome } from '@mandate/contract/approvals'
import { escapeHtml, pageHeaders } from '../../../http/answers/html.ts'
import { readableTime } from '../../../text/readable-time.ts'
import { shownText } from '../../../text/shown-text.ts'
import type { PolicyOfCall } from '../stored/link-queries.ts'
import type { Opened } from './use-link.ts'

/**
 * The page with the pending call and the form to resolve it. It has no script. Every value is escaped, and invisible characters are
 * shown as codes.
 */
export function renderApproval({ approval, policy, person }: Opened, token: string): string {
  const rows: [string, string][] = [
    ['Agent', approval.agent_name],
    ['Tool', approval.tool],
    ['Reason', approval.reason || 'none given'],
    ['Policy', `${policy.name ?? approval.policy_id}, version ${approval.policy_version}`],
    ['Approved policy', approvedText(approval, policy)],
    ['Rule', approval.rule_name ?? approval.rule_id ?? 'none: the default of the policy'],
    ['Asked', readableTime(approval.requested_at)],
    ['Expires', readableTime(approval.expires_at)],
    ['You decide as', person.displayName ? `${person.displayName} (${person.email})` : person.email],
  ]
  return page(
    'A tool call waits for you',
    `<dl>
${rows.map(([name, value]) => `<dt>${name}</dt><dd>${shown(value)}</dd>`).join('\n')}
</dl>
<h2 id="arguments">Arguments</h2>
${renderArguments(approval.arguments)}
<p>Digest of tool and arguments: <code>${shown(approval.args_digest)}</code></p>
<form method="post" action="approve">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="comment">Comment (optional, kept with the decision)</label>
<textarea id="comment" name="comment" rows="3" maxlength="1000"></textarea>
<div><button name="outcome" value="approved">Approve this call</button>
<button name="outcome" value="rejected">Reject this call</button></div>
</form>
<p><a href="approvals?open=${encodeURIComponent(approval.id)}">Open this approval in the dashboard</a></p>`,
  )
}

export function renderDecided(
  outcome: ApprovalOutcome,
  { tool, expires_at }: Pick<Approval, 'tool' | 'expires_at'>,
): string {
  const until = readableTime(expires_at)
  const what =
    outcome === 'approved'
      ? `The agent may make this call once, until ${until}.`
      : `The same call stays denied until ${until}. If the agent makes it again after that, a person is asked again.`
  return page(
    outcome === 'approved' ? 'Approved' : 'Rejected',
    `<p><code>${shown(tool)}</code>: ${outcome}. ${what}</p><p>You can close this page.</p>`,
  )
}

/** The page for a link that does not work. It is the same for every reason. */
export function renderGone(): string {
  return page(
    'This link does not work',
    `<p>It was used or has expired, the call was already decided, or you may not decide it.</p>
<p>Nothing was changed. Sign in to see the approvals that are still pending.</p>`,
  )
}

export function renderTooMany(seconds: string): string {
  return page('Too many requests', `<p>Nothing was changed. Try again in ${escapeHtml(seconds)} seconds.</p>`)
}

/** Says whether the policy version that decided the call is the approved version of the agent. */
function approvedText(
  call: Approval,
  { approved_policy_id: id, approved_version: version, approved_name }: PolicyOfCall,
) {
  if (id === null) return 'none: nobody has approved a policy version for this agent'
  if (id === call.policy_id && version === call.policy_version) return 'the same version'
  const name = id === call.policy_id ? `version ${version}` : `${approved_name ?? id}, version ${version}`
  return `${name}. The agent runs another version than the approved one`
}

function renderArguments(value: Record<string, unknown> | null): string {
  if (value === null) return '<p>The edge shows none of them.</p>'
  return `<pre tabindex="0" role="region" aria-labelledby="arguments">${shown(JSON.stringify(value, null, 2))}</pre>`
}

const shown = (text: string) => escapeHtml(shownText(text))

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title} – Mandate</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
${body}
</main>
</html>
`
}

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 0 auto; padding: 1.5rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.2rem }
dt { font-weight: 600 } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap }
pre { border: 1px solid; border-radius: 4px; padding: .8rem; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
code { overflow-wrap: anywhere } label { display: block; margin-top: 1.5rem }
textarea { box-sizing: border-box; width: 100%; font: inherit; margin: .3rem 0 1rem }
button { font: inherit; padding: .6rem 1.2rem; margin: 0 .6rem .6rem 0; cursor: pointer }
:focus-visible { outline: 3px solid; outline-offset: 2px }`

export const approvalPageHeaders: Record<string, string> = {
  ...pageHeaders(style, { formAction: "'self'" }),
  'x-robots-tag': 'noindex, nofollow',
}
