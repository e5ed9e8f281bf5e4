/** Words of the glossary that a reader may not know, by their anchor. The forms are those of running text. */
export const terms: Readonly<Record<string, RegExp>> = {
  'access-scope': /\baccess scopes?\b/i,
  'agent-key': /\bagent keys?\b/i,
  'api-key': /\bAPI keys?\b/i,
  'approval-link': /\bapproval links?\b/i,
  'approval-of-record': /\bapprovals? of record\b/i,
  attestation: /\battestations?\b/i,
  'change-class': /\bchange class\b/i,
  checkpoint: /\bcheckpoints?\b/i,
  'control-plane': /\bcontrol planes?\b/i,
  'default-effect': /\bdefault effect\b/i,
  drift: /\bdrift\b/i,
  edge: /\bedges?\b/i,
  environment: /(?<!production |system )\benvironments?\b(?! variables?)/i,
  'execution-coverage': /\bexecution coverage\b/i,
  finding: /\bfindings?\b/i,
  'governance-gate': /\bgovernance gate\b/i,
  'governance-mode': /\bgovernance mode\b/i,
  'governance-state': /\bgovernance states?\b/i,
  guard: /\bguards?\b(?! functions)/i,
  heartbeat: /\bheartbeats?\b/i,
  hook: /\bhooks?\b/i,
  learner: /\blearners?\b/i,
  'lifecycle-status': /\blifecycle status\b/i,
  mac: /\bMACs?\b/,
  'mission-profile': /\bmission profiles?\b/i,
  'override-mode': /\boverride mode\b/i,
  'pending-call': /\b(pending|held) calls?\b/i,
  review: /\breviews?\b/i,
  seat: /\bseats?\b(?! of its own)/i,
  spool: /\bspool\b/i,
  tenant: /\btenants?\b/i,
  'tool-pattern': /\btool patterns?\b/i,
  'tool-server': /\btool servers?\b/i,
  withheld: /\bwithheld\b/i,
}

const blank = (text: string) => ' '.repeat(text.length)
const glossaryLink = /\[[^\]]*\]\((?:docs\/)?glossary\.md#([\w-]+)\)/g

/** A page with everything that is no running text blanked: generated tables, code, comments, headings, and links other than those to the glossary. */
function runningText(markdown: string): string {
  return markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, blank)
    .replaceAll(/<!-- Generated [\s\S]*?-->\n(?:\|.*\n)*/g, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/^#.*$/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/!?\[[^\]]*\]\((?!(?:docs\/)?glossary\.md#)[^)]*\)/g, blank)
}

/** Where a term is used for the first time without a link to the glossary at or before it; null if there is no such place. */
export function unlinkedUse(markdown: string, anchor: string): { index: number; text: string } | null {
  const text = runningText(markdown)
  // The seat of a plan and the seat of an edge have one word.
  const anchors = [anchor, `${anchor}-of-an-edge`]
  const linked = [...text.matchAll(glossaryLink)].find((match) => anchors.includes(match[1] ?? ''))
  const used = terms[anchor]?.exec(text.replaceAll(glossaryLink, blank))
  if (!used || (linked && linked.index < used.index)) return null
  return { index: used.index, text: used[0] }
}
