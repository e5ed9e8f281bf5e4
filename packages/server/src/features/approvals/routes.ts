import { approvalEndpoints as endpoints } from '@mandate/contract/approvals'
import { uuid } from '@mandate/contract/fields/fields'
import { htmlType } from '../../http/answers/html.ts'
import { type Attempts, Content, on, Reply } from '../../http/routes/route.ts'
import { Refusal } from '../../refusal.ts'
import { requireServed } from '../edge/reach/served.ts'
import { approvalPageHeaders, renderApproval, renderDecided, renderGone, renderTooMany } from './links/approval-page.ts'
import { openLink, resolveByLink } from './links/use-link.ts'
import { getApproval, listApprovals, requireApproval } from './list/read-approvals.ts'
import { consumeApproval } from './request/consume-approval.ts'
import { requestApproval } from './request/request-approval.ts'
import { refuseResolution, resolveApproval } from './resolve/resolve-approval.ts'
import { heldBy } from './stored/queries.ts'

/**
 * Each look-up of a token costs a database query, so requests are limited. The limit need not stop guessing, because a token is
 * too long to guess.
 */
const attempts: Attempts = { name: 'approval-link', limit: 60, windowSeconds: 60 }
const linkOptions = {
  attempts,
  tooManyPage: (retryAfter: string) => ({ html: renderTooMany(retryAfter), headers: approvalPageHeaders }),
}

/** Reads the agent id from a body that is not validated yet. */
const agentOf = (body: unknown) => uuid.safeParse((body as { agent_id?: unknown } | null | undefined)?.agent_id).data

export const approvalRoutes = [
  on(endpoints.listApprovals, (ctx, { query }) => listApprovals(ctx, query)),
  on(endpoints.getApproval, (ctx, { params, query }) => getApproval(ctx, params.approval_id, query.include)),
  on(endpoints.resolveApproval, (ctx, { params, body }) => resolveApproval(ctx, params.approval_id, body), {
    beforeBadBody: (ctx, { approval_id }) => refuseResolution(ctx, approval_id),
  }),
  on(
    endpoints.requestApproval,
    async (ctx, { body }) => {
      const { approval, isNew } = await requestApproval(ctx, body)
      return new Reply(approval, { status: isNew ? 201 : 200 })
    },
    {
      beforeBadBody: async (ctx, _params, rawBody) => {
        const agentId = agentOf(rawBody)
        if (agentId) await requireServed(ctx.sql, ctx.actor, [agentId])
      },
    },
  ),
  on(endpoints.getHeldCall, (ctx, { params }) =>
    requireApproval(ctx.sql, heldBy(ctx.actor), params.approval_id, ctx.now),
  ),
  on(endpoints.consumeApproval, (ctx, { params, body }) => consumeApproval(ctx, params.approval_id, body), {
    beforeBadBody: (ctx, { approval_id }) => requireApproval(ctx.sql, heldBy(ctx.actor), approval_id, ctx.now),
  }),
  on(
    endpoints.openApprovalPage,
    (ctx, { query: { token = '' } }) => asPage(async () => renderApproval(await openLink(ctx, token), token)),
    linkOptions,
  ),
  on(
    endpoints.resolveByLink,
    (ctx, { body: { token, ...resolution } }) =>
      asPage(async () => {
        const approval = await resolveByLink(ctx, token, resolution)
        return renderDecided(resolution.outcome, approval)
      }),
    linkOptions,
  ),
]

/** Responds with an HTML page, also if the request is refused. */
async function asPage(work: () => Promise<string>): Promise<Content> {
  const page = (html: string, options: { status?: number; headers?: Record<string, string> } = {}) =>
    new Content(html, htmlType, { ...options, headers: { ...options.headers, ...approvalPageHeaders } })
  try {
    return page(await work())
  } catch (error) {
    if (error instanceof Refusal) return page(renderGone(), { status: error.status })
    throw error
  }
}
