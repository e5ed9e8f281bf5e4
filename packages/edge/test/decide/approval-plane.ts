import type { Approval } from '@mandate/contract/approvals'
import type { Asked, ControlPlane } from '../../src/control-plane/control-plane.ts'

const pending = { status: 'pending', expires_at: '2100-01-01T00:00:00.000Z', requested_at: '2026-01-01T00:00:00.000Z' }
const nothing = { environment_id: null, arguments: null, rule_id: null, rule_name: null, comment: null }
const open = { resolved_by: null, resolved_at: null, consumed_at: null, assigned_role: 'manager', agent_name: 'agent' }

/** A control plane that accepts each request for an approval. */
export function takesAll(): ControlPlane & { requests: number; last: unknown } {
  const approvals = new Map<string, Approval>()
  return {
    requests: 0,
    last: undefined,
    async ask({ path, body }: Asked) {
      if (body === undefined) return { status: 200, body: approvals.get(path.split('/').at(-1) as string) }
      this.requests++
      this.last = body
      const asked = body as Approval & { approval_id: string }
      const approval = { ...nothing, ...open, ...pending, ...asked, id: asked.approval_id } as Approval
      approvals.set(approval.id, approval)
      return { status: 201, body: approval }
    },
  }
}
