import type { Schema } from '@mandate/sdk'
import type { StateLook } from './state.tsx'

// The shape, the word and the tone of each value that the API gives.

type Agent = Schema<'Agent'>

export const effects: Record<Schema<'Decision'>['effect'], StateLook> = {
  allow: { glyph: 'allow', word: 'Allow', tone: 'allow' },
  require_approval: { glyph: 'hold', word: 'Require approval', tone: 'hold' },
  deny: { glyph: 'deny', word: 'Deny', tone: 'deny' },
}

/** What happens to calls that are denied or held. An environment has no `inherit`. */
export const modeLooks: Record<Schema<'Policy'>['override_mode'], StateLook> = {
  enforce: { glyph: 'approved', word: 'Denied calls are stopped', tone: 'quiet' },
  monitor: { glyph: 'unknown', word: 'Calls pass and are recorded', tone: 'hold' },
  inherit: { glyph: 'same', word: 'As the environment', tone: 'quiet' },
}

export const lifecycles: Record<Agent['lifecycle_status'], StateLook> = {
  approved: { glyph: 'approved', word: 'Approved', tone: 'quiet' },
  proposed: { glyph: 'proposed', word: 'Proposed', tone: 'hold' },
  blocked: { glyph: 'blocked', word: 'Blocked', tone: 'deny' },
  retired: { glyph: 'retired', word: 'Retired', tone: 'off' },
}

export const coverages: Record<Agent['execution_coverage']['state'], StateLook> = {
  covered: { glyph: 'cov-covered', word: 'Covered', tone: 'quiet' },
  partial: { glyph: 'cov-partial', word: 'Partial', tone: 'hold' },
  claimed: { glyph: 'cov-claimed', word: 'Claimed', tone: 'off' },
  observed: { glyph: 'cov-observed', word: 'Observed', tone: 'quiet' },
  stale: { glyph: 'cov-stale', word: 'Stale', tone: 'hold' },
  unknown: { glyph: 'cov-unknown', word: 'Unknown', tone: 'off' },
}

export const severities: Record<Schema<'Finding'>['severity'], StateLook> = {
  critical: { glyph: 'sev4', word: 'Critical', tone: 'deny' },
  high: { glyph: 'sev3', word: 'High', tone: 'deny' },
  medium: { glyph: 'sev2', word: 'Medium', tone: 'hold' },
  low: { glyph: 'sev1', word: 'Low', tone: 'off' },
}

/** Whether what runs is what was approved. */
export function driftOf({
  drift,
  approved_policy,
  running_policy,
  new_key_unused_since: rotated,
}: Pick<Agent, 'drift' | 'approved_policy' | 'running_policy' | 'new_key_unused_since'>): StateLook {
  if (drift === true) return { glyph: 'differs', word: 'Drift', tone: 'drift' }
  if (rotated !== null) return { glyph: 'lost', word: 'Old key refused', tone: 'hold' }
  if (drift === false) return { glyph: 'same', word: 'As approved', tone: 'quiet' }
  return {
    glyph: 'unknown',
    // The content of an approved version can be unknown. It can then not be compared with what runs.
    word: !approved_policy ? 'Not approved yet' : running_policy ? 'Not comparable' : 'No report yet',
    tone: 'off',
  }
}
