import { addressKey } from '@mandate/contract/fields/address-key'
import { type AuditSource, recordAudit } from '../../../audit/record-audit.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { noTenant, type Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import type { Services } from '../../../services.ts'
import { findUser, findUserOfAddress } from '../account/queries.ts'

const minuteMs = 60_000

/**
 * Counts a failed sign-in of the user with this address. Does nothing if no user has the address. The count is stored in the
 * background, so that the response time does not reveal whether the address is known. The failures of one user in one minute
 * become one audit entry.
 */
export function countSignInFailure(ctx: Ctx<null>, email: string): void {
  storeFailure(ctx, addressKey(email)).catch((err) =>
    ctx.services.log.warn({ err, request_id: ctx.request.id }, 'a failed sign-in could not be counted'),
  )
}

async function storeFailure(ctx: Ctx<null>, address: string): Promise<void> {
  const found = await findUserOfAddress(ctx.sql, address)
  if (!found) return
  const minute = new Date(Math.floor(Date.parse(ctx.now) / minuteMs) * minuteMs).toISOString()
  const { ip, id } = ctx.request
  await ctx.services.db.transaction(noTenant, (tx) =>
    tx.all(raw(upsert, [found.tenant_id, found.user_id, minute, ctx.now, ip, id])),
  )
}

const upsert = `insert into sign_in_failures as f (tenant_id, user_id, minute, attempts, last_at, ip, request_id)
  values ($1, $2, $3, 1, $4, $5, $6)
  on conflict (tenant_id, user_id, minute)
  do update set attempts = f.attempts + 1, last_at = $4, ip = $5, request_id = $6`

interface Failures {
  tenant_id: string
  user_id: string
  attempts: number
  last_at: string
  ip: string
  request_id: string
}

/**
 * Writes the counted sign-in failures to the audit trail: one entry for each user and each minute in which a sign-in of this
 * user failed. Includes only minutes that are over at `now`. If this fails for one tenant, it continues with the next tenant.
 */
export async function recordSignInFailures(
  services: Pick<Services, 'db' | 'log' | 'entryKeys'>,
  now: string,
): Promise<void> {
  const { db, log } = services
  const over = new Date(Date.parse(now) - minuteMs).toISOString()
  const due = await db.global.all(
    raw<{ tenant_id: string }>('select distinct tenant_id from sign_in_failures where minute <= $1', [over]),
  )
  for (const { tenant_id: tenantId } of due) {
    await recordOfTenant(services, tenantId, over).catch((err) =>
      log.warn({ err, tenant_id: tenantId }, 'failed sign-ins could not be recorded'),
    )
  }
}

type Recording = Pick<Services, 'db' | 'entryKeys'>

async function recordOfTenant(services: Recording, tenantId: string, over: string): Promise<void> {
  await services.db.transaction(tenantId, async (tx) => {
    const taken = `delete from sign_in_failures where tenant_id = $1 and minute <= $2
      returning tenant_id, user_id, attempts, last_at, ip, request_id`
    for (const failures of await tx.all(raw<Failures>(taken, [tenantId, over]))) await recordOne(tx, services, failures)
  })
}

async function recordOne(
  tx: Tx,
  services: Recording,
  { user_id, attempts, last_at, ip, request_id }: Failures,
): Promise<void> {
  // The user may have been removed since the failure. Then no entry is written.
  const user = await findUser(tx, user_id)
  if (!user) return
  const by: AuditSource = {
    actor: { kind: 'system', tenantId: tx.tenantId },
    request: { id: request_id, ip, userAgent: '' },
    now: last_at,
    services,
  }
  const resource = { type: 'user', id: user.id, name: user.display_name || user.email }
  await recordAudit(tx, by, 'user.sign_in_failed', { resource, details: { email: user.email, attempts } })
}
