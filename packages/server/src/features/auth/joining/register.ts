import { addressKey } from '@mandate/contract/fields/address-key'
import type { Tenant } from '@mandate/contract/tenants'
import type { User } from '@mandate/contract/users'
import { recordAudit } from '../../../audit/record-audit.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { IdentityFailure } from '../../../identity/failure.ts'
import { checkPassword } from '../../../identity/password-policy.ts'
import { conflict } from '../../../refusal.ts'
import { lockEpochForShare } from '../../../sessions/account-epoch.ts'
import { readDisplayName } from '../../users/change/display-name.ts'
import { toWireUser } from '../../users/wire-user.ts'
import { personOf } from '../account/person-of.ts'
import { activateUser, claimAccount, claimAddress, insertUser } from '../account/queries.ts'
import { refusing } from '../account/refuse-identity-failure.ts'
import { insertFirstEnvironments, insertTenant } from '../account/tenant-queries.ts'
import { throttleAddress } from '../account/throttle.ts'
import { mailVerification } from '../address/verify-email.ts'
import type { IssuedSession } from '../session/deliver-session.ts'
import { openSession } from '../session/open-session.ts'

export interface Registration {
  email: string
  password: string
  display_name?: string | undefined
  organization: string
}

const taken = () => conflict('this address already has an account')

/**
 * Creates a tenant with its two environments and its first owner. Mails the owner a link that verifies the address. Until the
 * address is verified, a person who was invited by a mail to this address can take over the address.
 * @throws 409 for an address that already has a user
 */
export async function register(
  ctx: Ctx<null>,
  registration: Registration,
  device: string,
): Promise<{ tenant: Tenant; user: User; session: IssuedSession }> {
  const displayName = readDisplayName(registration.display_name ?? '')
  await throttleAddress(ctx, 'register', registration.email)
  return await refusing(() =>
    ctx.services.db.transaction(newId(), async (tx) => {
      const tenant = (await insertTenant(
        tx,
        registration.organization,
        ctx.services.config.defaultPlan,
        ctx.now,
      )) as Tenant
      await insertFirstEnvironments(tx, ctx.now)
      const { user, accountId } = await addFirstOwner(tx, ctx, registration, displayName)
      const by = { ...ctx, actor: personOf(user, accountId) }
      const { id, name } = tenant
      await recordAudit(tx, by, 'tenant.created', {
        resource: { type: 'tenant', id, name },
        details: { plan: tenant.plan },
      })
      await recordAudit(tx, by, 'user.joined', {
        resource: { type: 'user', id: user.id, name: user.display_name || user.email },
        details: {
          email: user.email,
          role: user.role,
          academy_only: false,
          read_only: false,
          access_scope: user.access_scope,
          by: 'registration',
        },
      })
      await mailVerification(tx, ctx, { accountId, tenantId: user.tenant_id, email: user.email })
      return { tenant, user, session: await openSession(tx, ctx, { accountId, user, device, isFirst: true }) }
    }),
  )
}

async function addFirstOwner(tx: Tx, ctx: Ctx<null>, registration: Registration, displayName: string) {
  const { email, password, organization } = registration
  checkPassword(password, email, [organization, displayName])
  const { id } = await insertUser(tx, {
    id: newId(),
    email,
    display_name: displayName,
    role: 'owner',
    access_scope: 'all',
    created_at: ctx.now,
  })
  if (!(await claimAddress(tx, addressKey(email), id))) throw taken()
  const accountId = await ownAccount(tx, ctx, email, password)
  if (!(await claimAccount(tx, accountId, id))) throw taken()
  const user = await activateUser(tx, id, { accountId, displayName, emailVerified: false, federated: false })
  return { user: toWireUser(user), accountId }
}

/**
 * Creates a sign-in account with this address. If an account has the address already and the caller knows its password, returns
 * that account.
 * @throws 409 if an account has the address and `password` is not its password
 */
async function ownAccount(tx: Tx, { services }: Ctx<null>, email: string, password: string): Promise<string> {
  try {
    return (await services.identity.createAccount(tx, { email, password, emailVerified: false })).accountId
  } catch (error) {
    if (!(error instanceof IdentityFailure && error.kind === 'email_taken')) throw error
    const existing = await services.identity.findAccountByEmail(tx, email)
    if (existing) await lockEpochForShare(tx, existing.accountId)
    const proof = await services.identity.verifyPassword(tx, { email, password })
    if (!proof.ok) throw taken()
    return proof.accountId
  }
}
