import type { Approval } from '@mandate/contract/approvals'
import { type Asked, type ControlPlane, ControlPlaneRefused } from '../../src/control-plane/control-plane.ts'

const pending = { status: 'pending', expires_at: '2100-01-01T00:00:00.000Z', requested_at: '2026-01-01T00:00:00.000Z' }
const nothing = { environment_id: null, arguments: null, rule_id: null, rule_name: null, comment: null }
const open = { resolved_by: null, resolved_at: null, consumed_at: null, assigned_role: 'manager', agent_name: 'agent' }

/** A control plane that accepts each request for an approval. After `approveAll`, each approval can be used once. */
export function takesAll(): ControlPlane & { asked: number; requests: number; last: unknown; approveAll(): void } {
  const approvals = new Map<string, Approval>()
  return {
    /** All requests. `requests` are those for a new approval. */
    asked: 0,
    requests: 0,
    last: undefined,
    approveAll() {
      for (const approval of approvals.values()) if (approval.status === 'pending') approval.status = 'approved'
    },
    async ask({ path, body }: Asked) {
      this.asked++
      if (body === undefined) return { status: 200, body: approvals.get(path.split('/').at(-1) as string) }
      if (path.endsWith('/consume')) {
        const used = approvals.get(path.split('/').at(-2) as string)
        if (used?.status !== 'approved') throw new ControlPlaneRefused(409, 'the approval cannot be used')
        used.status = 'consumed'
        return { status: 200, body: used }
      }
      this.requests++
      this.last = body
      const asked = body as Approval & { approval_id: string }
      const approval = { ...nothing, ...open, ...pending, ...asked, id: asked.approval_id } as Approval
      approvals.set(approval.id, approval)
      return { status: 201, body: approval }
    },
  }
}
