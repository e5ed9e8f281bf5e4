import { createHash } from 'node:crypto'
import type { DecisionRecord } from '@mandate/contract/edge'
import { uuidOfHex } from '../../../text/uuid-of-hex.ts'
import type { FiledRecord } from './filed-record.ts'

/** What counted decisions have in common. */
export interface Kind extends KindFields {
  id: string
  /** Id of the kind that has only environment, effect and mode of this kind. See `KindsOfBatch.total`. */
  totalId: string
}

interface KindFields {
  environmentId: string | null
  policyId: string | null
  policyVersion: number | null
  ruleId: string | null
  tool: string
  effect: DecisionRecord['effect']
  mode: DecisionRecord['mode']
}

/** The tool under which calls are counted after a tenant's new tools or kinds of a day are used up. */
export const otherTool = 'other'

/** The kinds of one batch of decisions. Computes the id of each kind once, because many decisions of a batch have the same kind. */
export class KindsOfBatch {
  private readonly kinds = new Map<string, Kind>()

  kindOf({ record, environmentId }: FiledRecord): Kind {
    const { policy_id: policyId = null, policy_version, rule_id: ruleId = null, tool, effect, mode } = record
    return this.find({ environmentId, policyId, policyVersion: policy_version, ruleId, tool, effect, mode })
  }

  withTool(kind: Kind, tool: string): Kind {
    return this.find({ ...kind, tool })
  }

  /** Returns the kind that counts a call if its tool and rule cannot be counted by themselves. */
  other(kind: Kind, policyId: string | null): Kind {
    return this.find({ ...onlyTool(kind, otherTool), policyId })
  }

  /** Returns the kind of the counts that have only environment, effect and mode. */
  total(kind: Kind): Kind {
    return this.find(onlyTool(kind, ''))
  }

  private find(fields: KindFields): Kind {
    const text = textOf(fields)
    const found = this.kinds.get(text)
    if (found) return found
    const total = onlyTool(fields, '')
    const id = idOf(text)
    const kind = { ...fields, id, totalId: text === textOf(total) ? id : this.find(total).id }
    this.kinds.set(text, kind)
    return kind
  }
}

function onlyTool({ environmentId, effect, mode }: KindFields, tool: string): KindFields {
  return { environmentId, policyId: null, policyVersion: null, ruleId: null, tool, effect, mode }
}

function textOf({ environmentId, policyId, policyVersion, ruleId, tool, effect, mode }: KindFields): string {
  return [environmentId ?? '', policyId ?? '', policyVersion ?? '', ruleId ?? '', effect, mode, tool].join('|')
}

/** Computes the id of a kind. The migration that introduced kinds computes the same ids in SQL. */
function idOf(text: string): string {
  return uuidOfHex(createHash('sha256').update(text).digest('hex').slice(0, 32))
}
